/** Lists the conversations of a thread by their first words, which also name topics. */
import { Composer } from 'grammy'
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { type BotContext, type ChatThread, threadOf } from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import { shortenLine } from '../texts/shorten.ts'
import { conversationOf } from './conversations.ts'

export interface ListedConversation {
  id: bigint
  firstWords: string
  at: Date
  costMicroRub: bigint
}

/** One page, the conversation of the last turn first. */
export interface ConversationPage {
  index: number
  conversations: readonly ListedConversation[]
  hasOlder: boolean
}

interface Stored {
  prisma: Pick<PrismaClient, '$queryRaw'>
}

const PAGE_SIZE = 10
/** Only so many conversations, the newest, are searched: this alone bounds the time. */
const SEARCHED_MAX = 1_000
/** A file may be much longer than the question about it. */
const SEARCHED_CHARS_MAX = 20_000
const WORDS_MAX = 8
const WORD_CHARS_MAX = 64
/** A quote of at most 3,000 characters may precede the question. */
const FIRST_CHARS = 4_000
/** In Unicode code points. */
const TITLE_CHARS_MAX = 64
/** The beginning of a prompt in reply: a lead, the quoted lines below it, and the gap after them. */
const QUOTE = /^[^\n]*\n(?:>[^\n]*(?:\n|$))+\n*/
const FENCE = /\n`{3,}/

/** Pages are counted from 0. */
export async function readConversationPage(
  app: Stored,
  thread: ChatThread,
  index: number,
): Promise<ConversationPage> {
  return toPage(await readListed(app, inThread(thread), index * PAGE_SIZE), index)
}

/** Finds the conversations that contain all of the words. */
export async function searchConversations(
  app: Stored,
  thread: ChatThread,
  words: string,
): Promise<ConversationPage> {
  const found = Prisma.sql`
    SELECT * FROM (${inThread(thread)} ORDER BY last_turn_id DESC LIMIT ${SEARCHED_MAX}) newest
    WHERE NOT EXISTS (
      SELECT FROM unnest(${toSearchPatterns(words)}::text[]) pattern
      WHERE NOT EXISTS (
        SELECT FROM bot.message WHERE conversation_id = newest.id AND turn_id IS NOT NULL
          AND left(content, ${SEARCHED_CHARS_MAX}) ~ pattern))`
  return toPage(await readListed(app, found), 0)
}

export async function findConversation(
  app: Stored,
  thread: ChatThread,
  id: bigint,
): Promise<ListedConversation | undefined> {
  const only = Prisma.sql`${inThread(thread)} AND conversation.id = ${id}`
  return (await readListed(app, only))[0]
}

/** An edited first question reads as it does in the chat. */
function readListed(
  { prisma }: Stored,
  conversations: Prisma.Sql,
  skip = 0,
): Promise<ListedConversation[]> {
  return prisma.$queryRaw<ListedConversation[]>`
    SELECT id, at,
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

function inThread({ chatId, threadId }: ChatThread): Prisma.Sql {
  return Prisma.sql`
    SELECT conversation.id, last.id AS last_turn_id, last.at FROM bot.conversation
    CROSS JOIN LATERAL (
      SELECT id, coalesce(ended_at, created_at) AS at FROM bot.turn
      WHERE conversation_id = conversation.id ORDER BY id DESC LIMIT 1) last
    WHERE chat_id = ${chatId} AND thread_id = ${threadId}`
}

function toPage(rows: readonly ListedConversation[], index: number): ConversationPage {
  return { index, conversations: rows.slice(0, PAGE_SIZE), hasOlder: rows.length > PAGE_SIZE }
}

export function titleOf({ firstWords }: Pick<ListedConversation, 'firstWords'>): string {
  const [paragraph = ''] = questionOf(firstWords)
    .trim()
    .split(/\n\s*\n/)
  return shortenLine(paragraph.replace(/:\s*$/, ''), TITLE_CHARS_MAX)
}

/** Returns the user's own words up to a file or code, or the quoted words if there are none. */
function questionOf(prompt: string): string {
  const question = prompt.replace(QUOTE, '')
  const [words = ''] = question.split(FENCE)
  if (words.trim() !== '') return words
  if (question.trim() !== '') return question
  const quoted = prompt.split('\n').filter((line) => line.startsWith('>'))
  return quoted.map((line) => line.slice(1)).join('\n')
}

interface TopicsApp {
  prisma: PrismaClient
  outbox: Pick<Outbox, 'nameTopic'>
}

export function listenToTopics(app: TopicsApp): Composer<BotContext> {
  const composer = new Composer<BotContext>()
  const inPrivate = composer.chatType('private')
  inPrivate.on('message:forum_topic_created', async ({ message }) => {
    if (!message.forum_topic_created.is_name_implicit) return
    const { id } = await conversationOf(app, threadOf(message))
    await app.prisma.conversation.update({ where: { id }, data: { namesTopic: true } })
  })
  inPrivate.on('message:forum_topic_edited', ({ message }) => topicIsNamed(app, threadOf(message)))
  return composer
}

/** Names a private chat's unnamed topic after its first question. */
export async function nameTopic(app: TopicsApp, { chatId, threadId }: ChatThread): Promise<void> {
  if (threadId === 0 || chatId < 0) return
  const where = { chatId, threadId, namesTopic: true }
  const waiting = await app.prisma.conversation.findFirst({ where })
  const asked = waiting && (await findConversation(app, { chatId, threadId }, waiting.id))
  if (!asked) return
  await app.outbox.nameTopic({ chatId, threadId }, titleOf(asked))
  await topicIsNamed(app, { chatId, threadId })
}

async function topicIsNamed({ prisma }: Pick<TopicsApp, 'prisma'>, thread: ChatThread) {
  const where = { ...thread, namesTopic: true }
  await prisma.conversation.updateMany({ where, data: { namesTopic: false } })
}

/** Spells out both cases, and е for ё: a database with locale C, as the embedded one, folds only ASCII. */
export function toSearchPatterns(words: string): string[] {
  const parts = words.split(/\s+/).filter((word) => word !== '')
  return parts
    .slice(0, WORDS_MAX)
    .map((word) => [...word].slice(0, WORD_CHARS_MAX).map(toPattern).join(''))
}

function toPattern(character: string): string {
  if (/[её]/i.test(character)) return '[ЕеЁё]'
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()])
  // Some letters become two in the other case.
  const single = [...cases].filter((one) => [...one].length === 1)
  if (single.length > 1) return `[${single.join('')}]`
  return /[\p{L}\p{N}]/u.test(character) ? character : `\\${character}`
}
