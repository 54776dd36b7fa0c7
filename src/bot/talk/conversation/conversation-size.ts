import { ServiceError } from '../../../contract/client/service-error.ts'
import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { type Models, NoModelError } from '../../models/models.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { withSystemPrompt } from './context-size.ts'
import type { Conversations } from './conversations.ts'
import { readHistory } from './history.ts'

/** The size of what the model reads of a conversation before the next message. */
export interface ConversationSize {
  model: string
  tokens: number
  percent: number | undefined
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
 * @returns Undefined if the conversation has no message yet.
 * @throws {ServiceError} If the models are needed and the service does not list them.
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

/** Does the same for callers that can go on without it: undefined also if the service does not answer. */
export async function measureIfKnown(
  ...[thread, deps]: Parameters<typeof measureConversation>
): Promise<ConversationSize | undefined> {
  try {
    return await measureConversation(thread, deps)
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NoModelError) return undefined
    throw error
  }
}
