import { randomInt } from 'node:crypto'
import { addFound, readFormatted } from '../content/entities.ts'
import { checkMarkupInChat } from '../content/markup.ts'
import { readRichMessage } from '../content/parse-markdown.ts'
import { cleanText, codePoints, type EntityText, TEXT_CHARS_MAX } from '../content/text.ts'
import type { Content, StoredMessage } from '../state.ts'
import { ApiError, badRequest, type MethodAnswer } from '../wire/envelope.ts'
import { type Params, textOf } from '../wire/params.ts'
import { toMessage } from '../world/to-message.ts'
import { prepareMedia, readMedia, readMediaGroup, type SentKind } from './input-media.ts'
import type { Method, MethodCall, MethodDeps } from './method.ts'
import { checkRecipient, readTarget, type Target } from './target.ts'

const FILE_NOUNS: Readonly<Record<SentKind, string>> = {
  photo: 'photos',
  video: 'videos',
  document: 'documents',
  audio: 'music',
}

const sendMessage: Method = async (call, deps) => {
  const given = readMessageText(call.params)
  const target = readTarget(call.params, deps.world, 'text messages')
  const formatted = cleanNonEmpty(given)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return deliver(call, deps, target, () => formatted)
}

const sendRichMessage: Method = async (call, deps) => {
  const content = readRichMessage(call.params)
  const target = readTarget(call.params, deps.world, 'the rich message')
  return deliver(call, deps, target, () => content)
}

function sender(kind: SentKind): Method {
  return (call, deps) => {
    const media = readMedia(call.params, kind)
    const target = readTarget(call.params, deps.world, FILE_NOUNS[kind])
    return deliver(call, deps, target, prepareMedia(media, deps))
  }
}

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
  const messages = contents.map((content) => append(deps, target, content, mediaGroupId))
  return { result: messages.map((message) => toMessage(message, deps.world)) }
}

/** @throws The refusal of one file as a refusal of its album. */
function throwOfAlbum(error: unknown, position: number): never {
  if (!(error instanceof ApiError)) throw error
  const reason = error.message.replace(/^Bad Request: /, '')
  throw badRequest(`failed to send message #${position} with the error message "${reason}"`)
}

async function deliver(
  call: MethodCall,
  deps: MethodDeps,
  target: Target,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  const { chat, replyMarkup } = target
  await call.passFloodControl('send', chat)
  checkMarkupInChat(replyMarkup, chat.type === 'private')
  checkRecipient(chat, deps.world)
  return { result: toMessage(append(deps, target, await makeContent()), deps.world) }
}

function append(
  { world }: MethodDeps,
  { chat, threadId, ...more }: Target,
  content: Content,
  mediaGroupId?: string,
): StoredMessage {
  delete chat.action
  return world.append({
    ...more,
    content,
    mediaGroupId,
    chatId: chat.id,
    userId: world.bot.id,
    threadId: threadId || undefined,
  })
}

/** Reads the text of a call, before it is cleaned. */
export function readMessageText(params: Params): EntityText {
  if (textOf(params, 'text') === '') throw badRequest('message text is empty')
  return readFormatted(params, 'text')
}

/** Cleans a text. Its length is not checked: sending and editing refuse it in different words. */
export function cleanNonEmpty(given: EntityText): EntityText {
  const formatted = cleanText(given)
  if (formatted.text === '') throw badRequest('text must be non-empty')
  return addFound(formatted)
}

export const sendMethods = {
  sendMessage,
  sendRichMessage,
  sendPhoto: sender('photo'),
  sendVideo: sender('video'),
  sendDocument: sender('document'),
  sendAudio: sender('audio'),
  sendMediaGroup,
}
