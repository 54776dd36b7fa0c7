import { readEntities } from '../../content/entities.ts'
import { cleanText, codePoints } from '../../content/text.ts'
import { readRichMessage } from '../../rich/read-rich-message.ts'
import { badRequest, type MethodAnswer } from '../../wire/envelope.ts'
import { boolOf, type Params, textOf } from '../../wire/params.ts'
import type { GivenFrame } from '../../world/drafts.ts'
import { type Method, type MethodCall, type MethodDeps, passFloodControl } from './method.ts'
import { TEXT_BYTES_MAX, TEXT_CHARS_MAX, toTextContent } from './send-messages.ts'
import { checkRecipient, readTopic } from './sending.ts'

/** Shows a text that is still being written; a blank one shows that the bot thinks. */
export const sendMessageDraft: Method = (call, deps) => {
  const text = textOf(call.params, 'text')
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw badRequest('text is too long')
  const formatted = cleanText({ text, entities: readEntities(call.params, 'entities') })
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return showDraft(call, deps, toTextContent(formatted, undefined))
}

export const sendRichMessageDraft: Method = (call, deps) => {
  const { unclosedHtml } = deps
  return showDraft(call, deps, readRichMessage(call.params, { unclosedHtml, isDraft: true }))
}

async function showDraft(
  call: MethodCall,
  deps: MethodDeps,
  content: GivenFrame['content'],
): Promise<MethodAnswer> {
  const { params } = call
  const chat = deps.world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, deps.world)
  const draftId = readDraftId(params)
  if (chat.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  await passFloodControl('typing', chat, call, deps)
  checkRecipient(chat, deps.world)
  deps.drafts.show({
    chat,
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
