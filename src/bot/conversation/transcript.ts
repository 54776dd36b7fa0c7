import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import type { MessageRole } from '../../database/generated/enums.ts'
import { WAS_ANSWERED } from './history.ts'

/** One message of a conversation as people read it back. */
export interface TranscriptEntry {
  id: bigint
  turnId: bigint | null
  role: MessageRole
  content: string
  createdAt: Date
  /** Of who asked. */
  firstName: string | null
  /** Of an answer, as far as it is known. */
  model: string | null
  promptTokens: number | null
  completionTokens: number | null
  costMicroRub: bigint | null
  /** Whether the model does not read it any more. */
  isSetAside: boolean
}

const BATCH_SIZE = 50

/** Reads conversations back: what was asked and answered, be it in part, also where it was set aside. */
export function createTranscripts(prisma: PrismaClient) {
  return { readPage, readAll }

  /**
   * @param page 0 is the newest one.
   * @returns The page in order of time, without the instruction; undefined where there is none.
   */
  async function readPage(
    conversationId: bigint,
    { page, size }: { page: number; size: number },
  ): Promise<{ entries: TranscriptEntry[]; hasOlder: boolean } | undefined> {
    const found = await prisma.$queryRaw<TranscriptEntry[]>`
      ${selectEntries(conversationId)} AND message.turn_id IS NOT NULL
      ORDER BY message.turn_id DESC, message.id DESC LIMIT ${size + 1} OFFSET ${page * size}`
    if (found.length === 0) return undefined
    return { entries: found.slice(0, size).reverse(), hasOlder: found.length > size }
  }

  /** Reads a whole conversation without ever holding more than a few messages of it. */
  async function* readAll(conversationId: bigint): AsyncGenerator<TranscriptEntry, void> {
    let turnId = -1n
    let id = 0n
    for (;;) {
      const found = await prisma.$queryRaw<TranscriptEntry[]>`
        ${selectEntries(conversationId)}
          AND (coalesce(message.turn_id, 0), message.id) > (${turnId}, ${id})
        ORDER BY coalesce(message.turn_id, 0), message.id LIMIT ${BATCH_SIZE}`
      yield* found
      const last = found.at(-1)
      if (last === undefined || found.length < BATCH_SIZE) return
      turnId = last.turnId ?? 0n
      id = last.id
    }
  }
}

export type Transcripts = ReturnType<typeof createTranscripts>

function selectEntries(conversationId: bigint): Prisma.Sql {
  return Prisma.sql`
    SELECT message.id, message.turn_id AS "turnId", message.role::text, message.content,
      CASE message.role WHEN 'user' THEN coalesce(turn.sent_at, message.created_at)
        ELSE message.created_at END AS "createdAt",
      "user".first_name AS "firstName", message.model,
      message.prompt_tokens AS "promptTokens", message.completion_tokens AS "completionTokens",
      message.cost_micro_rub AS "costMicroRub", turn.set_aside_at IS NOT NULL AS "isSetAside"
    FROM bot.message
      LEFT JOIN bot.turn ON turn.id = message.turn_id
      LEFT JOIN bot."user" ON "user".id = turn.user_id
    WHERE message.conversation_id = ${conversationId} AND message.content <> ''
      AND (message.turn_id IS NULL OR ${Prisma.raw(WAS_ANSWERED)})`
}
