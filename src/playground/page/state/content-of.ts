import type { Message } from 'grammy/types'
import { words } from '../words/language.ts'
import { wordsOfBlocks } from './rich-words.ts'

/** Sums a message up in one line; undefined for one that only shows what happened to a chat. */
export function contentOf(message: Message): string | undefined {
  const text = wordsOf(message).replace(/\s+/g, ' ').trim()
  return text === '' ? nameKind(message) : text
}

function wordsOf({ text, caption, rich_message: rich }: Message): string {
  return text ?? caption ?? (rich === undefined ? '' : wordsOfBlocks(rich.blocks))
}

function nameKind(message: Message): string | undefined {
  const { kinds } = words.value.shell
  if (message.sticker !== undefined) return `${message.sticker.emoji ?? ''} ${kinds.sticker}`.trim()
  if (message.document !== undefined && message.animation === undefined) {
    return message.document.file_name ?? kinds.document
  }
  if (message.audio !== undefined)
    return message.audio.title ?? message.audio.file_name ?? kinds.audio
  if (message.poll !== undefined) return message.poll.question
  if (message.dice !== undefined) return message.dice.emoji
  const kind = PLAIN.find((name) => message[name] !== undefined)
  return kind === undefined ? undefined : kinds[kind]
}

/** Kinds that are named and no more; an animation before the document that it also is. */
const PLAIN = [
  'photo',
  'animation',
  'video',
  'video_note',
  'voice',
  'location',
  'contact',
  'rich_message',
] as const
