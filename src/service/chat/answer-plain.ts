import { ClientGoneError } from './client-gone-error.ts'
import type { Completion } from './completion.ts'
import type { ChatWire } from './wire/chat-wire.ts'

/**
 * Answers with one JSON body when everything is there. If the provider breaks off in the middle,
 * nothing was delivered: the request has not taken place. A client that leaves in the middle pays for
 * what there was of the answer; otherwise answers could be had made, and left, for nothing.
 */
export async function answerPlain(
  completion: Completion,
  { wire }: { wire: Pick<ChatWire, 'plain'> },
): Promise<object> {
  let content = ''
  const finish = await completion
    .stream((text) => {
      content += text
      return undefined
    })
    .catch(async (error) => {
      if (error instanceof ClientGoneError && content !== '') await completion.settleCut(content)
      throw error
    })
  const cost = await completion.settle(finish, content)
  return wire.plain(content, finish.finishReason, cost)
}
