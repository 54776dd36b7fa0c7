import type { ChatResponse } from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import { ClientGoneError } from './client-gone-error.ts'
import type { Completion } from './completion.ts'
import { toWireUsage } from './wire.ts'

/**
 * Answers with one JSON body when everything is there. If the provider breaks off in the middle,
 * nothing was delivered: the request has not taken place. A client that leaves in the middle pays for
 * what there was of the answer; otherwise answers could be had made, and left, for nothing.
 */
export async function answerPlain(completion: Completion): Promise<ChatResponse> {
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
  const { usage, costMicroRub } = await completion.settle(finish, content)
  const costRub = toWireRub(costMicroRub)
  return {
    request_id: completion.requestId,
    model: completion.modelId,
    content,
    finish_reason: finish.finishReason,
    usage: toWireUsage(usage),
    cost_rub: costRub,
    cost_coins: costRub,
  }
}
