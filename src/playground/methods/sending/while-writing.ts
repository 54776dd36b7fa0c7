import { readFormatted, TEXT } from '../../content/formatted-text.ts'
import { cleanText, codePoints, TEXT_CHARS_MAX } from '../../content/text.ts'
import { badRequest, type MethodAnswer } from '../../wire/envelope.ts'
import { boolOf, type Params, textOf } from '../../wire/params.ts'
import type { Content } from '../../world/message.ts'
import type { Method, MethodCall, MethodDeps } from '../method.ts'
import { prepareRich } from './rich-media.ts'
import { checkRecipient, readTopic } from './target.ts'

const ACTION_VISIBLE_MS = 5_000
const ACTIONS = [
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
  'cancel',
]

/** Shows a text that is being written; a blank one shows that the bot thinks. */
const sendMessageDraft: Method = (call, deps) => {
  const formatted = cleanText(readFormatted(call.params, TEXT))
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return showDraft(call, deps, () => formatted)
}

const sendRichMessageDraft: Method = (call, deps) =>
  showDraft(call, deps, prepareRich(call.params, deps, { isDraft: true }))

async function showDraft(
  call: MethodCall,
  { world, drafts }: MethodDeps,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  const { params } = call
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const content = await makeContent()
  const draftId = readDraftId(params)
  if (chat.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  await call.passFloodControl('typing', chat)
  checkRecipient(chat, world)
  drafts.show({
    ...content,
    chatId: chat.id,
    threadId,
    draftId,
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

const sendChatAction: Method = async (call, { world, clock }) => {
  const name = textOf(call.params, 'action').toLowerCase()
  if (!ACTIONS.includes(name)) throw badRequest('wrong parameter action in request')
  const chat = world.accessChat(textOf(call.params, 'chat_id'), 'write')
  const threadId = readTopic(call.params, chat, world)
  await call.passFloodControl('typing', chat)
  checkRecipient(chat, world)
  if (name === 'cancel') delete chat.action
  else chat.action = { name, threadId, visibleUntil: clock.now() + ACTION_VISIBLE_MS }
  return { result: true }
}

export const whileWritingMethods = { sendMessageDraft, sendRichMessageDraft, sendChatAction }
