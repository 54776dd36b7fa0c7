import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { Titled } from './conversation-title.ts'
import { toSearchPatterns } from './search-patterns.ts'

const PAGE_SIZE = 10
/** Words are looked for in so many conversations, those that were talked in last: nothing else bounds the time. */
const SEARCHED_MAX = 1_000
/** Words are looked for in so much of a message: a file may be much longer than the question about it. */
const SEARCHED_CHARS_MAX = 20_000
/** A quote stands in front of the question, at most 3,000 characters of it. */
const FIRST_CHARS = 4_000

/** A conversation as its chat sees it in a list. */
export interface ListedConversation extends Titled {
  id: bigint
  at: Date
  costMicroRub: bigint
}

/** One page, the conversation that was talked in last first. */
export interface ConversationPage {
  index: number
  conversations: readonly ListedConversation[]
  hasOlder: boolean
}

/** The conversations of a thread in which something was asked: no other thread sees them. */
export function createConversationList(prisma: Pick<PrismaClient, '$queryRaw' | 'message'>) {
  return { readPage, search, find, readLastQuestion }

  async function readPage(thread: ChatThread, index: number): Promise<ConversationPage> {
    const rows = await read(inThread(thread), index * PAGE_SIZE)
    return toPage(rows, index)
  }

  async function search(thread: ChatThread, words: string): Promise<ConversationPage> {
    const newest = Prisma.sql`
      SELECT * FROM (${inThread(thread)} ORDER BY last_turn_id DESC LIMIT ${SEARCHED_MAX}) newest
      WHERE NOT EXISTS (
        SELECT FROM unnest(${toSearchPatterns(words)}::text[]) pattern
        WHERE NOT (coalesce(title, '') ~ pattern OR EXISTS (
          SELECT FROM bot.message WHERE conversation_id = newest.id AND turn_id IS NOT NULL
            AND left(content, ${SEARCHED_CHARS_MAX}) ~ pattern)))`
    return toPage(await read(newest, 0), 0)
  }

  async function find(thread: ChatThread, id: bigint): Promise<ListedConversation | undefined> {
    const [found] = await read(Prisma.sql`${inThread(thread)} AND conversation.id = ${id}`, 0)
    return found
  }

  async function readLastQuestion(conversationId: bigint): Promise<string | undefined> {
    const last = await prisma.message.findFirst({
      where: { conversationId, role: 'user', turnId: { not: null } },
      // The index of a conversation's messages is in this order, which is that of the turns.
      orderBy: { id: 'desc' },
      select: { content: true },
    })
    return last?.content
  }

  /** A first question that was edited stands as it does in the chat. */
  function read(conversations: Prisma.Sql, skip: number): Promise<ListedConversation[]> {
    return prisma.$queryRaw<ListedConversation[]>`
      SELECT id, title, at,
        (SELECT coalesce(sum(amount_micro_rub), 0)::bigint FROM bot.charge
          JOIN bot.turn ON turn.id = charge.turn_id
          WHERE turn.conversation_id = page.id) AS "costMicroRub",
        coalesce((
          SELECT left(content, ${FIRST_CHARS}) FROM (
            SELECT chat_id, prompt_message_id FROM bot.turn
            WHERE conversation_id = page.id AND kind = 'answer' ORDER BY turn.id LIMIT 1) first
          JOIN bot.turn USING (chat_id, prompt_message_id)
          JOIN bot.message ON turn_id = turn.id AND role = 'user'
          WHERE turn.conversation_id = page.id
          ORDER BY state = 'declined', attempt DESC LIMIT 1), '') AS "firstWords"
      FROM (SELECT * FROM (${conversations}) chosen
        ORDER BY last_turn_id DESC LIMIT ${PAGE_SIZE + 1} OFFSET ${skip}) page
      ORDER BY last_turn_id DESC`
  }
}

export type ConversationList = ReturnType<typeof createConversationList>

function inThread({ chatId, threadId }: ChatThread): Prisma.Sql {
  return Prisma.sql`
    SELECT conversation.id, title, last.id AS last_turn_id, last.at FROM bot.conversation
    CROSS JOIN LATERAL (
      SELECT id, coalesce(ended_at, created_at) AS at FROM bot.turn
      WHERE conversation_id = conversation.id ORDER BY id DESC LIMIT 1) last
    WHERE chat_id = ${chatId} AND thread_id = ${threadId}`
}

function toPage(rows: readonly ListedConversation[], index: number): ConversationPage {
  return { index, conversations: rows.slice(0, PAGE_SIZE), hasOlder: rows.length > PAGE_SIZE }
}
