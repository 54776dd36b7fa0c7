import { randomInt } from 'node:crypto'
import type { Message, TextQuote } from 'grammy/types'
import { isJsonObject } from '../../../http/json.ts'
import { checkMarkupInChat, type ReplyMarkup, readMarkup } from '../../content/markup.ts'
import { codePoints } from '../../content/text.ts'
import { readRichMessage } from '../../rich/read-rich-message.ts'
import { ApiError, badRequest, forbidden, type MethodAnswer } from '../../wire/envelope.ts'
import { boolOf, idOf, jsonOf, type Params, textOf } from '../../wire/params.ts'
import { type Content, findQuote, type StoredMessage } from '../../world/message.ts'
import { toMessage } from '../../world/to-message.ts'
import { hasTopics, type StoredChat, type World } from '../../world/world.ts'
import { prepareMedia, readMedia, readMediaGroup, type SendableKind } from './input-media.ts'
import { cleanNonEmpty, readMessageText, TEXT_CHARS_MAX } from './message-text.ts'
import type { Method, MethodCall, MethodDeps } from './method.ts'

const sendMessage: Method = async (call, deps) => {
  const given = readMessageText(call.params)
  const target = readTarget(call.params, deps.world, 'text messages')
  const formatted = cleanNonEmpty(given)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return send(call, deps, target, () => ({ ...formatted, linkPreview: given.linkPreview }))
}

const sendRichMessage: Method = async (call, deps) => {
  const content = readRichMessage(call.params, deps)
  return send(call, deps, readTarget(call.params, deps.world, 'the rich message'), () => content)
}

/** The methods that send one file differ in its kind alone. */
function sender(kind: SendableKind): Method {
  return (call, deps) => {
    const media = readMedia(call.params, kind)
    const target = readTarget(call.params, deps.world, `${kind}s`)
    return send(call, deps, target, prepareMedia(media, deps))
  }
}

/** Where a new message goes and what hangs on it. */
interface Target {
  chat: StoredChat
  replyMarkup: ReplyMarkup | undefined
  replyToMessageId: number | undefined
  quote: TextQuote | undefined
  /** 0 outside of topics. */
  threadId: number
}

/**
 * Reads and checks what all sending methods share, after their content has been read.
 *
 * @param what The content in the words of a refusal, such as `text messages`.
 */
function readTarget(params: Params, world: World, what: string): Target {
  const reply = readReply(params)
  const replyMarkup = readMarkup(params, world)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const replied = findReplied(reply, chat)
  const quote = replied && reply?.quote ? findQuote(replied, reply.quote) : undefined
  if (replied && reply?.quote && !quote) throw badRequest('QUOTE_TEXT_INVALID')
  checkRights(chat, threadId, what)
  return { chat, replyMarkup, replyToMessageId: replied?.id, quote, threadId }
}

function checkRights(chat: StoredChat, threadId: number, what: string): void {
  if (chat.botStatus === 'restricted') {
    throw badRequest(`not enough rights to send ${what} to the chat`)
  }
  const isClosed = chat.topics.get(threadId)?.isClosed ?? false
  if (isClosed && chat.botStatus !== 'administrator') throw badRequest('TOPIC_CLOSED')
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
  return { result: contents.map((content) => append(deps, target, { content, mediaGroupId })) }
}

/** @throws The refusal of one file as that of its album. */
function throwOfAlbum(error: unknown, position: number): never {
  if (!(error instanceof ApiError)) throw error
  const reason = error.message.replace(/^Bad Request: /, '')
  throw badRequest(`failed to send message #${position} with the error message "${reason}"`)
}

/** Sends checked content: flood control, what only the server knows, then the message itself. */
async function send(
  call: MethodCall,
  deps: MethodDeps,
  target: Target,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  const { chat, replyMarkup } = target
  await call.passFloodControl('send', chat)
  checkMarkupInChat(replyMarkup, chat.type === 'private')
  checkRecipient(chat, deps.world)
  return { result: append(deps, target, { content: await makeContent() }) }
}

function append(
  { world, drafts }: MethodDeps,
  { chat, threadId, ...more }: Target,
  given: { content: Content; mediaGroupId?: string },
): Message {
  delete chat.action
  drafts.clear(chat.id, threadId)
  const message = world.append({
    ...more,
    ...given,
    chatId: chat.id,
    userId: world.bot.id,
    threadId: threadId || undefined,
    senderChat: chat.type === 'channel' ? chat.shown : undefined,
  })
  return toMessage(message, world)
}

/** What the server says of a person who does not want to be written to. */
export function checkRecipient(chat: StoredChat, world: World): void {
  const person = chat.type === 'private' ? world.people.get(chat.id) : undefined
  if (person?.blockedBot) throw forbidden('bot was blocked by the user')
  if (person?.started === false) throw forbidden("bot can't initiate conversation with a user")
}

/** Ordinary groups pass over the parameter. General is named by leaving it out. */
export function readTopic(params: Params, chat: StoredChat, world: World): number {
  const threadId = idOf(params, 'message_thread_id')
  if (threadId === 0 || (chat.type !== 'private' && !chat.isForum)) return 0
  const isThere = hasTopics(chat, world) && chat.topics.has(threadId)
  if (!isThere) throw badRequest('message thread not found')
  return threadId
}

interface Reply {
  messageId: number
  chatId: string
  orWithout: boolean
  quote: string
}

function readReply(params: Params): Reply | undefined {
  const complaint = "can't parse reply parameters JSON object"
  const value = jsonOf(params, 'reply_parameters', complaint)
  if (value === undefined) {
    const messageId = idOf(params, 'reply_to_message_id')
    const orWithout = boolOf(params, 'allow_sending_without_reply')
    return messageId === 0 ? undefined : { messageId, chatId: '', orWithout, quote: '' }
  }
  if (!isJsonObject(value)) throw badRequest('object expected as reply parameters')
  const { message_id, chat_id = '', allow_sending_without_reply, quote = '' } = value
  return {
    messageId: Number(message_id) || 0,
    chatId: String(chat_id),
    orWithout: allow_sending_without_reply === true,
    quote: String(quote),
  }
}

function findReplied(reply: Reply | undefined, chat: StoredChat): StoredMessage | undefined {
  if (reply === undefined) return undefined
  const isHere = reply.chatId === '' || Number(reply.chatId) === chat.id
  const message = isHere ? chat.messages.get(reply.messageId) : undefined
  if (message === undefined) {
    if (reply.orWithout && isHere) return undefined
    throw badRequest('message to be replied not found')
  }
  return message
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
