import type { MessageEntity } from 'grammy/types'
import { addFound } from '../content/entities.ts'
import { cleanText, codePoints, type EntityText } from '../content/text.ts'
import { FILE_KINDS, type FileKind, type FileStore } from '../world/files.ts'
import type { Content } from '../world/message.ts'

/** Code points of one message. */
export const TEXT_CHARS_MAX = 4_096

export interface UserFile {
  bytes: Uint8Array
  fileName?: string
  mime?: string
  /** Has the bytes stand for a file of so many, which would be too large to keep. */
  sizeBytes?: number
  /** Seconds, of a voice message. */
  duration?: number
  /** What a sticker stands for. */
  emoji?: string
}

/** A text, or one file with or without a caption. */
export interface GivenContent extends Partial<Record<FileKind, UserFile>> {
  text?: string
  caption?: string
  /** Beside the mentions, commands and links, which are found: what a person chose to format. */
  entities?: readonly MessageEntity[]
}

const FILE_NAMES: Readonly<Record<FileKind, string>> = {
  photo: 'photo.jpg',
  video: 'video.mp4',
  animation: 'animation.mp4',
  video_note: 'video_note.mp4',
  document: 'document.bin',
  audio: 'audio.mp3',
  voice: 'voice.ogg',
  sticker: 'sticker.webp',
}

/** Makes what a client would make of it. @throws {RangeError} For a text that no client sends. */
export function toContent(given: GivenContent, files: FileStore): Content {
  const kind = FILE_KINDS.find((known) => given[known] !== undefined)
  const file = kind && given[kind]
  if (kind === undefined || file === undefined) {
    const formatted = toFormatted(given.text ?? '', given.entities)
    if (formatted.text === '') throw new RangeError('Cannot send: the text is empty')
    if (codePoints(formatted.text) > TEXT_CHARS_MAX) {
      throw new RangeError(`Cannot send: clients split texts over ${TEXT_CHARS_MAX} characters`)
    }
    return formatted
  }
  const { fileName = FILE_NAMES[kind], mime = '', duration = 0, emoji, sizeBytes } = file
  const added = files.add({ kind, fileName, mime, bytes: Buffer.from(file.bytes), sizeBytes })
  const extra = emoji === undefined ? {} : { emoji }
  const formatted = toFormatted(given.caption ?? '', given.entities)
  return { ...formatted, media: files.show(kind, added, { duration, extra }) }
}

/** Finds what clients find in a text, beside the entities that its author chose. */
export function toFormatted(given: string, entities: readonly MessageEntity[] = []): EntityText {
  return addFound(cleanText({ text: given, entities: [...entities] }))
}
