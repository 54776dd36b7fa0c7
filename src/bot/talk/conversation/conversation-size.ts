import { ServiceError } from '../../../contract/client/errors.ts'
import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { type Models, NoModelError } from '../../models/models.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { withSystemPrompt } from './context-size.ts'
import type { Conversations } from './conversations.ts'
import { readHistory } from './history.ts'

/** What the model reads of a conversation before the next message. */
export interface ConversationSize {
  model: string
  tokens: number
  /** Of the model's context, rounded down; undefined where the service does not tell. */
  percent: number | undefined
  /** Undefined where the model's price is not known. */
  costMicroRub: bigint | undefined
}

export interface ConversationSizeDeps {
  prisma: Pick<PrismaClient, 'turn' | 'message'>
  conversations: Pick<Conversations, 'current'>
  models: Pick<Models, 'ready' | 'choose' | 'price' | 'contextTokens'>
  systemPrompt: string | undefined
}

/**
 * Estimates what the next message costs for what stands before it.
 *
 * @returns Undefined where nothing was said yet.
 * @throws {ServiceError} If the models are needed and the service does not tell them.
 * @throws {NoModelError} If there is none.
 */
async function measureConversation(
  thread: ChatThread,
  { prisma, conversations, models, systemPrompt }: ConversationSizeDeps,
): Promise<ConversationSize | undefined> {
  const { id: conversationId, model: chosen } = await conversations.current(thread)
  const history = await readHistory(prisma, { conversationId })
  if (history.every(({ turnId }) => turnId === null)) return undefined
  await models.ready()
  const model = models.choose(chosen)
  const tokens = estimatePromptTokens(withSystemPrompt(history, systemPrompt))
  const contextTokens = models.contextTokens(model)
  const costMicroRub = models.price(model, { promptTokens: tokens, completionTokens: 0 })
  return {
    model,
    tokens,
    percent: contextTokens && Math.floor((tokens * 100) / contextTokens),
    costMicroRub: costMicroRub === 0n ? undefined : costMicroRub,
  }
}

/** The same where not knowing it is no obstacle: undefined also where the service does not tell. */
export async function measureIfTold(
  ...[thread, deps]: Parameters<typeof measureConversation>
): Promise<ConversationSize | undefined> {
  try {
    return await measureConversation(thread, deps)
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return undefined
    throw error
  }
}
