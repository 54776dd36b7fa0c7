/** Reads the messages that a model gets for a turn, and measures their tokens and cost. */
import type { ChatMessage } from '../../contract/chat.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import { estimatePromptTokens } from '../../contract/token-estimate.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { type Models, NoModelError } from '../models.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { conversationOf, readCurrentConversation } from './conversations.ts'

export interface HistoryEntry {
  turnId: bigint | null
  message: ChatMessage
  isSummary: boolean
}

export interface SizeApp {
  prisma: PrismaClient
  models: Pick<Models, 'ready' | 'choose' | 'price' | 'contextTokens'>
  systemPrompt: string | undefined
}

/** Turns to which the user got an answer, at least in part. */
export const ANSWERED = {
  state: { in: ['finished', 'stopped', 'interrupted'] },
  messages: { some: { role: { not: 'user' }, content: { not: '' } } },
} satisfies Prisma.TurnWhereInput

export const SUMMARY_REQUEST: ChatMessage = {
  role: 'user',
  content: `Sum up this conversation so far. It will go on from your summary alone: nothing said before will be \
read again. Keep what later messages may rest on: who wants what, facts, names, numbers and dates, what was decided \
or agreed, code and wording that are still in use, how answers are wanted, what is still open. Leave out what is \
done with. Write in the language of the conversation, in at most 400 words, without an introduction.`,
}

/** 300 words of Russian, or 400 of English. */
export const SUMMARY_TOKENS = 500

/** The part of the context that stays filled after making room, so that the next message needs no question. */
const AIR_PERCENT = 75

/**
 * Reads the messages of a conversation up to the turn's own, in order, after its instruction and its summary.
 *
 * Without a turn it is read as for the next message. Left out are turns without any answer, turns that were set aside,
 * and other answers to the turn's own message.
 *
 * One row of JSON takes a quarter of Node's CPU for a row of each message, a tenth of that for Prisma's models. The
 * statement has no join: PostgreSQL may plan it for an average conversation, and a nested loop would be slow for the
 * longest one.
 */
export async function readHistory(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  {
    conversationId,
    turn,
  }: { conversationId: bigint; turn?: { id: bigint; promptMessageId: number } },
): Promise<HistoryEntry[]> {
  const { id = null, promptMessageId = null } = turn ?? {}
  // A summary that was made meanwhile also stands for the messages before the turn.
  const [row] = await prisma.$queryRaw<[{ history: string }]>`
    SELECT json_build_object(
      'turnIds', json_agg(turn_id), 'roles', json_agg(role), 'contents', json_agg(content))::text AS history
    FROM (
      SELECT turn_id, role, content FROM bot.message
      WHERE conversation_id = ${conversationId} AND content <> '' AND (
        turn_id IS NULL
        OR turn_id = ${id} AND role = 'user'
        OR turn_id IN (
          SELECT turn_id FROM bot.message
          WHERE conversation_id = ${conversationId} AND content <> '' AND role <> 'user')
        AND turn_id IN (
          SELECT id FROM bot.turn
          WHERE conversation_id = ${conversationId} AND set_aside_at IS NULL
            AND state IN ('finished', 'stopped', 'interrupted')
            AND (${id}::bigint IS NULL OR kind = 'summary' OR id < ${id} AND prompt_message_id <> ${promptMessageId})))
      ORDER BY turn_id IS NOT NULL, role <> 'system', turn_id, id
    ) AS message`
  const { turnIds, roles, contents } = JSON.parse(row.history) as {
    turnIds: (number | null)[]
    roles: ChatMessage['role'][]
    contents: string[] | null
  }
  return (contents ?? []).map((content, index) => {
    const turnId = turnIds[index] ?? null
    const role = roles[index] as ChatMessage['role']
    const isSummary = turnId !== null && role === 'system'
    const message = { role, content: isSummary ? `${SUMMED_UP}${content}` : content }
    return { turnId: turnId === null ? null : BigInt(turnId), isSummary, message }
  })
}

const SUMMED_UP = 'The conversation until now, summed up; its messages are left out:\n\n'

export function withSystemPrompt(
  history: readonly HistoryEntry[],
  systemPrompt: string | undefined,
): ChatMessage[] {
  const messages = history.map(({ message }) => message)
  return systemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages
}

export async function isFileInHistory(
  prisma: Pick<PrismaClient, 'conversation' | 'turn'>,
  thread: ChatThread,
  fileUniqueId: string,
): Promise<boolean> {
  const current = await readCurrentConversation(prisma, thread)
  if (current === null) return false
  const isRead = { fileIds: { has: fileUniqueId }, setAsideAt: null, ...ANSWERED }
  return (await prisma.turn.count({ where: { conversationId: current.id, ...isRead } })) > 0
}

/** Returns `message_too_long` if the request would not fit even without its history: `ownTokens`. */
export function judgeContext(need: {
  promptTokens: number
  ownTokens: number
  maxTokens: number
  contextTokens: number | undefined
}): 'fits' | 'conversation_too_long' | 'message_too_long' {
  const { promptTokens, ownTokens, maxTokens, contextTokens } = need
  if (contextTokens === undefined) return 'fits'
  if (ownTokens + maxTokens > contextTokens) return 'message_too_long'
  return promptTokens + maxTokens > contextTokens ? 'conversation_too_long' : 'fits'
}

/**
 * Finds the oldest turns, to be left out so that a conversation fits its model: as many as needed, and some for air.
 *
 * Air alone never goes past half of the history. A summary stays: it is short and stands for much. The last turn stays.
 */
export function findOldestPart(
  history: readonly HistoryEntry[],
  { systemPrompt, tokensMax }: { systemPrompt: string | undefined; tokensMax: number },
): bigint[] {
  const all = estimatePromptTokens(withSystemPrompt(history, systemPrompt))
  const own = history.at(-1)?.turnId
  const leftOut = new Set<bigint>()
  let left = all
  for (const { turnId, message, isSummary } of history) {
    if (turnId === null || turnId === own || isSummary) continue
    if (!leftOut.has(turnId)) {
      const isForAir = left <= tokensMax
      if (isForAir && (left * 100 <= tokensMax * AIR_PERCENT || left * 2 <= all)) break
      leftOut.add(turnId)
    }
    left -= estimatePromptTokens([message])
  }
  return [...leftOut]
}

/** Returns undefined if the conversation has no message yet, or the service does not list its models. */
export async function measureConversation(
  { prisma, models, systemPrompt }: SizeApp,
  thread: ChatThread,
) {
  const { id: conversationId, model: chosen } = await conversationOf({ prisma }, thread)
  const history = await readHistory(prisma, { conversationId })
  if (history.every(({ turnId }) => turnId === null)) return undefined
  try {
    await models.ready()
    const model = models.choose(chosen)
    const tokens = estimatePromptTokens(withSystemPrompt(history, systemPrompt))
    const contextTokens = models.contextTokens(model)
    const percent = contextTokens && Math.floor((tokens * 100) / contextTokens)
    // An unknown price is 0.
    const costMicroRub = models.price(model, { promptTokens: tokens, completionTokens: 0 })
    return { model, tokens, percent, costMicroRub: costMicroRub || undefined }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return undefined
    throw error
  }
}
