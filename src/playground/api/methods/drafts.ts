import { readEntities } from '../../content/entities.ts'
import { cleanText, codePoints } from '../../content/text.ts'
import { readRichMessage } from '../../rich/read-rich-message.ts'
import { type Answer, badRequest } from '../../wire/envelope.ts'
import { boolOf, type Params, textOf } from '../../wire/params.ts'
import type { DraftFrame } from '../../world/drafts.ts'
import { type Call, type House, passFloodControl } from './method.ts'
import { checkRecipient, readTopic } from './sending.ts'
import { TEXT_BYTES_MAX, TEXT_CHARS_MAX, toTextContent } from './text-messages.ts'

/** Shows a text that is still being written; a blank one shows that the bot thinks. */
export function sendMessageDraft(call: Call, house: House): Promise<Answer> {
  const text = textOf(call.params, 'text')
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw badRequest('text is too long')
  const formatted = cleanText({ text, entities: readEntities(call.params, 'entities') })
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return showDraft(call, house, toTextContent(formatted, undefined))
}

export function sendRichMessageDraft(call: Call, house: House): Promise<Answer> {
  const { unclosedHtml } = house
  return showDraft(call, house, readRichMessage(call.params, { unclosedHtml, isDraft: true }))
}

async function showDraft(
  call: Call,
  house: House,
  content: DraftFrame['content'],
): Promise<Answer> {
  const { params } = call
  const room = house.world.roomFor(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, room, house.world)
  const draftId = readDraftId(params)
  if (room.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  await passFloodControl('typing', room, call, house)
  checkRecipient(room, house.world)
  house.drafts.show({
    room,
    threadId,
    draftId,
    content,
    canStop: boolOf(params, 'can_stop'),
    keepOnStop: boolOf(params, 'keep_on_stop'),
  })
  return { result: true }
}

function readDraftId(params: Params): string {
  const text = textOf(params, 'draft_id')
  const isInteger = /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
  if (!isInteger || BigInt(text) === 0n) throw badRequest('RANDOM_ID_INVALID')
  return String(BigInt(text))
}
