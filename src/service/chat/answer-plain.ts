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
  let body: object | undefined
  // The ids in it are made once: a repeat is given what the first was.
  const toBody = (cost: CompletionCost) => {
    body ??= wire.plain(answer, finish.finishReason, cost)
    return body
  }
  return toBody(await completion.settle(finish, toBody))
}
