import type { Message, MessageEntity } from 'grammy/types'
import { unixTime } from './clock.ts'
import { findEntities } from './entities.ts'
import type { Media, MediaKind } from './files.ts'
import { readImageSize } from './image-size.ts'
import type { House } from './methods/method.ts'
import { cleanText, codePoints } from './text.ts'
import { toMessage } from './wire.ts'
import { type Content, inlineMarkupOf, type Room, toUser } from './world.ts'

const TEXT_CHARS_MAX = 4_096

export interface GivenFile {
  bytes: Uint8Array
  fileName?: string
  mime?: string
  /** Seconds, of a voice message. */
  duration?: number
}

/** What a person sends: a text, or one file with or without a caption. */
export interface UserMessage {
  userId: number
  /** The private chat with the bot by default. */
  chatId?: number
  text?: string
  caption?: string
  photo?: GivenFile
  document?: GivenFile
  video?: GivenFile
  audio?: GivenFile
  voice?: GivenFile
  sticker?: GivenFile & { emoji?: string }
  replyToMessageId?: number
}

const FILE_DEFAULTS: Readonly<Record<MediaKind, { fileName: string; mime: string }>> = {
  photo: { fileName: 'photo.jpg', mime: 'image/jpeg' },
  video: { fileName: 'video.mp4', mime: 'video/mp4' },
  document: { fileName: 'document.bin', mime: 'application/octet-stream' },
  audio: { fileName: 'audio.mp3', mime: 'audio/mpeg' },
  voice: { fileName: 'voice.ogg', mime: 'audio/ogg' },
  sticker: { fileName: 'sticker.webp', mime: 'image/webp' },
}
const KINDS = ['photo', 'video', 'document', 'audio', 'voice', 'sticker'] as const

/** What people do in their clients. A step that no client allows throws. */
export function createPeople(house: House, { readsAll }: { readsAll: boolean }) {
  const { world, queue, files, changes, clock, callbackQueries } = house
  const { personOf, roomOf } = world
  return { sends, edits, deletes, presses }

  function sends(given: UserMessage): Message {
    const person = personOf(given.userId)
    const room = roomOf(given.chatId ?? given.userId)
    if (room.type === 'private') {
      if (person.blockedBot) throw new Error(`Cannot send: user ${person.id} blocked the bot`)
      person.started = true
    }
    room.members.add(person.id)
    room.lastIncomingAt = clock.now()
    const message = world.append({
      chatId: room.id,
      from: person,
      date: unixTime(clock),
      content: toContent(given),
      ...(given.replyToMessageId !== undefined && { replyToMessageId: given.replyToMessageId }),
    })
    const shown = toMessage(message, world)
    if (reaches(shown, room)) queue.enqueue({ message: shown })
    changes.emit({ kind: 'sent', chatId: room.id, messageId: message.id })
    return shown
  }

  function edits(given: { userId: number; chatId?: number; messageId: number; text: string }) {
    const room = roomOf(given.chatId ?? given.userId)
    const message = world.find(room.id, given.messageId)
    if (message === undefined || message.from === 'bot' || message.from.id !== given.userId) {
      throw new Error(`Cannot edit: message ${given.messageId} is not of user ${given.userId}`)
    }
    message.content = toContent(given)
    message.editDate = unixTime(clock)
    const shown = { ...toMessage(message, world), edit_date: message.editDate }
    if (reaches(shown, room)) queue.enqueue({ edited_message: shown })
    changes.emit({ kind: 'edited', chatId: room.id, messageId: message.id })
    return shown
  }

  /** Bots are not told of it. */
  function deletes({ chatId, messageId }: { chatId: number; messageId: number }): void {
    const message = world.find(chatId, messageId)
    if (message === undefined) throw new Error(`Cannot delete: no message ${messageId}`)
    world.remove(message)
    changes.emit({ kind: 'deleted', chatId, messageId })
  }

  /** @returns The id of the callback query. */
  function presses(given: {
    userId: number
    chatId?: number
    messageId: number
    data: string
  }): string {
    const person = personOf(given.userId)
    const room = roomOf(given.chatId ?? given.userId)
    const { messageId, data } = given
    const message = world.find(room.id, messageId)
    if (message === undefined) throw new Error(`Cannot press: no message ${messageId}`)
    const buttons = inlineMarkupOf(message)?.inline_keyboard.flat() ?? []
    if (!buttons.some((button) => 'callback_data' in button && button.callback_data === data)) {
      throw new Error(`Cannot press: message ${messageId} has no button "${data}"`)
    }
    room.lastIncomingAt = clock.now()
    const pressed = callbackQueries.press({ userId: person.id, chatId: room.id, messageId, data })
    queue.enqueue({
      callback_query: {
        id: pressed.id,
        from: toUser(person),
        message: toMessage(message, world),
        chat_instance: String(room.id),
        data,
      },
    })
    return pressed.id
  }

  function toContent(given: Omit<UserMessage, 'userId'>): Content {
    const kind = KINDS.find((known) => given[known] !== undefined)
    const file = kind && given[kind]
    if (kind === undefined || file === undefined) {
      const text = cleanText({ text: given.text ?? '', entities: [] }).text
      if (text === '') throw new RangeError('Cannot send: the text is empty')
      if (codePoints(text) > TEXT_CHARS_MAX) {
        throw new RangeError(`Cannot send: clients split texts over ${TEXT_CHARS_MAX} characters`)
      }
      return { kind: 'text', text, entities: findEntities(text) }
    }
    const { text } = cleanText({ text: given.caption ?? '', entities: [] })
    return {
      kind: 'media',
      media: {
        ...toMedia(kind, file),
        ...(given.sticker?.emoji && { emoji: given.sticker.emoji }),
      },
      caption: { text, entities: findEntities(text) },
    }
  }

  function toMedia(kind: MediaKind, file: GivenFile): Media {
    const bytes = Buffer.from(file.bytes)
    const stored = files.add({ ...FILE_DEFAULTS[kind], ...named(file), kind, bytes })
    return {
      kind,
      file: stored,
      fileId: files.mint(stored),
      ...(readImageSize(bytes) ?? { width: 0, height: 0 }),
      duration: file.duration ?? 0,
      supportsStreaming: false,
    }
  }

  /** In a group the bot hears commands, mentions and answers to itself, unless it reads everything. */
  function reaches(message: Message, room: Room): boolean {
    if (room.type === 'private') return true
    if (room.botStatus !== 'member' && room.botStatus !== 'administrator') return false
    if (readsAll || room.botStatus === 'administrator') return true
    if (message.reply_to_message?.from?.id === world.bot.id) return true
    const text = message.text ?? message.caption ?? ''
    const entities = message.entities ?? message.caption_entities ?? []
    return entities.some((entity) => isForBot(text, entity))
  }

  function isForBot(text: string, { type, offset, length }: MessageEntity): boolean {
    const [name = '', addressee] = text.slice(offset, offset + length).split('@')
    const isOurs = addressee?.toLowerCase() === world.me.username.toLowerCase()
    if (type === 'bot_command') return isOurs || (addressee === undefined && name !== '')
    return type === 'mention' && isOurs
  }
}

export type People = ReturnType<typeof createPeople>

function named({ fileName, mime }: GivenFile) {
  return { ...(fileName !== undefined && { fileName }), ...(mime !== undefined && { mime }) }
}
