import { randomInt } from 'node:crypto'
import { codePoints, TEXT_CHARS_MAX } from '../../content/text.ts'
import { ApiError, badRequest } from '../../wire/envelope.ts'
import type { Content } from '../../world/message.ts'
import { toMessage } from '../../world/to-message.ts'
import type { Method } from '../method.ts'
import { append, deliver } from './deliver.ts'
import { prepareMedia, readMedia, readMediaGroup, type SendableKind } from './input-media.ts'
import { cleanNonEmpty, readMessageText } from './message-text.ts'
import { FILE_NOUNS } from './nouns.ts'
import { prepareRich } from './rich-media.ts'
import { checkRecipient, readTarget } from './target.ts'

const sendMessage: Method = async (call, deps) => {
  const given = readMessageText(call.params)
  const target = readTarget(call.params, deps.world, 'text messages')
  const formatted = cleanNonEmpty(given)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return deliver(call, deps, target, () => ({ ...formatted, linkPreview: given.linkPreview }))
}

const sendRichMessage: Method = async (call, deps) => {
  const makeContent = prepareRich(call.params, deps)
  const target = readTarget(call.params, deps.world, 'the rich message')
  return deliver(call, deps, target, makeContent)
}

/** The methods that send one file differ in its kind alone. */
function sender(kind: SendableKind): Method {
  return (call, deps) => {
    const media = readMedia(call.params, kind)
    const target = readTarget(call.params, deps.world, FILE_NOUNS[kind])
    return deliver(call, deps, target, prepareMedia(media, deps))
  }
}

/** Several files that show as one album. Either all of them are sent or none is. */
const sendMediaGroup: Method = async (call, deps) => {
  const group = readMediaGroup(call.params)
  const target = readTarget(call.params, deps.world, 'media')
  if (target.replyMarkup !== undefined) throw badRequest("reply markup can't be used with an album")
  const makers = group.map((media) => prepareMedia(media, deps))
  for (const _ of group) await call.passFloodControl('send', target.chat)
  checkRecipient(target.chat, deps.world)
  const contents: Content[] = []
  for (const [index, makeContent] of makers.entries()) {
    contents.push(await makeContent().catch((error) => throwOfAlbum(error, index + 1)))
  }
  const mediaGroupId = randomInt(2 ** 47).toString()
  const messages = contents.map((content) => append(deps, target, { content, mediaGroupId }))
  return { result: messages.map((message) => toMessage(message, deps.world)) }
}

/** @throws The refusal of one file as that of its album. */
function throwOfAlbum(error: unknown, position: number): never {
  if (!(error instanceof ApiError)) throw error
  const reason = error.message.replace(/^Bad Request: /, '')
  throw badRequest(`failed to send message #${position} with the error message "${reason}"`)
}

export const sendMethods = {
  sendMessage,
  sendRichMessage,
  sendPhoto: sender('photo'),
  sendVideo: sender('video'),
  sendAnimation: sender('animation'),
  sendVideoNote: sender('video_note'),
  sendDocument: sender('document'),
  sendAudio: sender('audio'),
  sendVoice: sender('voice'),
  sendSticker: sender('sticker'),
  sendMediaGroup,
}
