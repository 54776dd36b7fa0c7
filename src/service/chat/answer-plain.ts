import type { Completion } from './completion.ts'
import type { CompletionCost } from './price-answer.ts'
import type { ChatWire } from './wire/chat-wire.ts'

/**
 * Answers with one JSON body when everything is there. If the provider breaks off in the middle,
 * nothing was delivered, and nothing is charged.
 */
export async function answerPlain(
  completion: Completion,
  { wire }: { wire: Pick<ChatWire, 'plain'> },
): Promise<object> {
  const { answer, ...finish } = await completion.plain()
  const toBody = (cost: CompletionCost) => wire.plain(answer, finish.finishReason, cost)
  return toBody(await completion.settle(finish, toBody))
}
