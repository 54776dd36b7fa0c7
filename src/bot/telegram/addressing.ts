/** Reads from an update who sent it, where, and whether it is meant for the bot. */
import type { Context } from 'grammy'
import type { Chat, Message, MessageEntity, UserFromGetMe } from 'grammy/types'
import type { UserRole } from '../../platform/database/generated/enums.ts'

/** Telegram's stand-in for the admins of groups who write anonymously. */
const ANONYMOUS_ADMIN_ID = 1_087_968_824

export type Me = Pick<UserFromGetMe, 'id' | 'username'>

/** A chat, or one topic of it: where a conversation is held. */
export interface ChatThread {
  chatId: number
  threadId: number
}

/** A user who writes to the bot, or a group whose admin writes in its name. */
export interface Sender {
  /** A group's is negative. */
  id: number
  firstName: string
  username?: string | undefined
  /** The language of every text for them: the one they chose, otherwise Telegram's. */
  languageCode?: string | undefined
  role?: UserRole | undefined
  /** True if an order that they have just begun waits for its text. */
  hasOpenCard?: boolean
}

export type BotContext = Context & { sender: Sender }

export interface GivenCommand {
  name: string
  bot: string | undefined
  argument: string
}

/** How a message in a group is meant for the bot; `bare_command` names no bot. */
export type Address = 'command' | 'bare_command' | 'mention' | 'reply'

/** The chat thread of a message; `threadId` is 0 in the General topic and in a chat without topics. */
export function threadOf(message: {
  chat: { id: number }
  is_topic_message?: boolean
  message_thread_id?: number
}): ChatThread {
  // In ordinary groups the same field only ties replies together.
  const threadId = (message.is_topic_message && message.message_thread_id) || 0
  return { chatId: message.chat.id, threadId }
}

/** Returns the message to reply to: the given message in a group, none in a private chat. */
export function answeredIn(message: { chat: { id: number }; message_id: number }): {
  replyToMessageId?: number
} {
  return message.chat.id < 0 ? { replyToMessageId: message.message_id } : {}
}

export function hasTopics(chat: Chat, me: Pick<UserFromGetMe, 'has_topics_enabled'>): boolean {
  return chat.type === 'private' ? me.has_topics_enabled : chat.is_forum === true
}

/** Undefined if Telegram no longer names the message. */
export function pressedMessageOf(
  ctx: Pick<Context, 'callbackQuery'>,
): (ChatThread & { messageId: number }) | undefined {
  const message = ctx.callbackQuery?.message
  return message && { ...threadOf(message), messageId: message.message_id }
}

/** Checks for a sender who can be answered, and adds it to the context. */
export function hasSender(ctx: Context): ctx is BotContext {
  const sender = readSender(ctx)
  if (sender === undefined) return false
  Object.assign(ctx, { sender })
  return true
}

/** Undefined if the sender cannot be answered. An anonymous admin is the group: Telegram hides which admin wrote. */
function readSender(ctx: Context): Sender | undefined {
  const { from, chat } = ctx
  // The message of a pressed button is the bot's own; `from` pressed it.
  const message = ctx.callbackQuery === undefined ? ctx.msg : undefined
  if (message?.is_automatic_forward) return undefined
  if (message?.sender_chat !== undefined) {
    const isOwnGroup = chat !== undefined && message.sender_chat.id === chat.id
    if (!isOwnGroup || from?.id !== ANONYMOUS_ADMIN_ID) return undefined
    return { id: chat.id, firstName: chat.title ?? '' }
  }
  if (from === undefined || from.is_bot) return undefined
  const { id, first_name: firstName, username, language_code: languageCode } = from
  return { id, firstName, username, languageCode }
}

/** Reads the command that begins a message or caption; none of a forward, which is quoted. */
export function readCommand({
  caption,
  caption_entities,
  text = caption,
  entities = caption_entities ?? [],
  forward_origin,
}: Pick<Message, 'text' | 'entities' | 'caption' | 'caption_entities' | 'forward_origin'>):
  | GivenCommand
  | undefined {
  if (forward_origin !== undefined) return undefined
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (text === undefined || entity === undefined) return undefined
  const [name = '', bot] = text.slice(1, entity.length).toLowerCase().split('@')
  return { name, bot, argument: text.slice(entity.length).trim() }
}

/** Checks whether a message is only a word for stop. Case and punctuation do not matter. */
export function saysStop(text: string, words: string): boolean {
  const given = bare(text)
  return words.split(',').some((word) => bare(word) === given)
}

export function readAddress(message: Message, me: Me): Address | undefined {
  const command = readCommand(message)
  if (command !== undefined) {
    if (command.bot === undefined) return 'bare_command'
    return command.bot === me.username.toLowerCase() ? 'command' : undefined
  }
  if (findMentions(message, me).length > 0) return 'mention'
  return isReplyTo(message, me) ? 'reply' : undefined
}

/** Removes the bot's name and the signs around it: "@bot, what is this?" asks "what is this?". */
export function withoutMentions(message: Message, me: Me): string {
  let text = message.text ?? message.caption ?? ''
  for (const { offset, length } of findMentions(message, me).reverse()) {
    const before = text.slice(0, offset)
    const after = text.slice(offset + length)
    const isFirst = before.trim() === ''
    const isClosed = /^\s*([.!?]|$)/.test(after)
    if (isFirst) text = after.replace(/^[\s,:;.!—–-]+/, '')
    else if (isClosed) text = before.replace(/[\s,]+$/, '') + after.trimStart()
    else text = before + after.replace(/^[^\S\n]+/, '')
  }
  return text.trim()
}

function findMentions(message: Message, me: Me): MessageEntity[] {
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  const name = `@${me.username.toLowerCase()}`
  return entities.filter((entity) => {
    if (entity.type === 'text_mention') return entity.user.id === me.id
    const { offset, length } = entity
    return entity.type === 'mention' && text.slice(offset, offset + length).toLowerCase() === name
  })
}

/** Every message in a topic is a reply to the message that opened it, which asks nothing of the bot. */
function isReplyTo({ reply_to_message: original }: Message, me: Me): boolean {
  return original?.from?.id === me.id && original.forum_topic_created === undefined
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\s-]/gu, '')
    .trim()
}
/** Identifies the request of a message: a message that is handled twice makes one request. */
export function messageOrigin(chatId: number, messageId: number): string {
  return `message ${chatId} ${messageId}`
}

/** @param pressId The same when the press is handled again. */
export function pressOrigin(pressId: string): string {
  return `press ${pressId}`
}

export function isMessageOrigin(originKey: string | null): boolean {
  return originKey?.startsWith('message ') ?? false
}
