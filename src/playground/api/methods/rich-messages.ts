import { type RichContent, readRichMessage } from '../../rich/read-rich-message.ts'
import type { Answer } from '../../wire/envelope.ts'
import type { Params } from '../../wire/params.ts'
import type { Call, House } from './method.ts'
import { readTarget, send } from './sending.ts'

export async function sendRichMessage(call: Call, house: House): Promise<Answer> {
  const content = readRich(call.params, house)
  return send(call, house, readTarget(call.params, house.world, 'the rich message'), () => content)
}

/** Reads the rich message of a call that leaves a message behind. */
export function readRich(params: Params, { unclosedHtml }: House): RichContent {
  return readRichMessage(params, { unclosedHtml, isDraft: false })
}
