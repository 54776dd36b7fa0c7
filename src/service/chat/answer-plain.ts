import type { Completion } from './completion.ts'
import type { ChatWire } from './wire/chat-wire.ts'

/**
 * Answers with one JSON body when everything is there. If the provider breaks off in the middle,
 * nothing was delivered, and nothing is charged.
 */
export async function answerPlain(
  completion: Completion,
  { wire }: { wire: Pick<ChatWire, 'plain'> },
): Promise<object> {
  const { content, ...finish } = await completion.plain()
  const cost = await completion.settle(finish, content)
  return wire.plain(content, finish.finishReason, cost)
}
