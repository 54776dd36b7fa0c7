import type { Contact, MessageEntity } from 'grammy/types'
import { addFound } from '../content/entities.ts'
import {
  CAPTION_CHARS_MAX,
  cleanText,
  codePoints,
  type EntityText,
  TEXT_CHARS_MAX,
} from '../content/text.ts'
import { FILE_KINDS, type FileKind, type FileStore, type StoredFile } from '../world/files.ts'
import type { Content } from '../world/message.ts'

/** Its bytes, or a file that the playground has already. */
export type UserFile = FileFacts & ({ bytes: Uint8Array } | { kept: StoredFile })

interface FileFacts {
  fileName?: string
  mime?: string
  /** Has the bytes stand for a file of so many, which would be too large to keep. */
  sizeBytes?: number
  /** Seconds, of what plays. */
  duration?: number
  /** The sides of a video; those of a picture are read from it. */
  sides?: { width: number; height: number } | undefined
  /** The emoji that a sticker stands for. */
  emoji?: string
}

/** A text, one file with or without a caption, or a contact. */
export interface GivenContent extends Partial<Record<FileKind, UserFile>> {
  text?: string
  caption?: string
  contact?: Contact
  /** The formatting that a person chose; mentions, commands and links are found without it. */
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
  if (given.contact !== undefined) {
    return { text: '', entities: [], card: { contact: given.contact } }
  }
  const kind = FILE_KINDS.find((known) => given[known] !== undefined)
  const file = kind && given[kind]
  if (kind === undefined || file === undefined) {
    const formatted = toFormatted(given.text ?? '', given.entities)
    checkLength(formatted, {})
    return formatted
  }
  const { fileName = FILE_NAMES[kind], mime = '', duration = 0, emoji, sizeBytes } = file
  const extra = emoji === undefined ? {} : { emoji }
  const formatted = toFormatted(given.caption ?? '', given.entities)
  const added =
    'kept' in file
      ? file.kept
      : files.add({ kind, fileName, mime, bytes: Buffer.from(file.bytes), sizeBytes })
  const media = files.show(kind, added, { duration, extra, ...file.sides })
  checkLength(formatted, { media })
  return { ...formatted, media }
}

/** @throws {RangeError} For a text that is empty or too long, and for a caption that is too long. */
export function checkLength({ text }: EntityText, { media }: Pick<Content, 'media'>): void {
  if (media === undefined && text === '') throw new RangeError('Cannot send: the text is empty')
  const max = media === undefined ? TEXT_CHARS_MAX : CAPTION_CHARS_MAX
  if (codePoints(text) > max) {
    const what = media === undefined ? 'text' : 'caption'
    throw new RangeError(`Cannot send: the ${what} is longer than ${max} characters`)
  }
}

/** Finds what clients find in a text, beside the entities that its author chose. */
export function toFormatted(given: string, entities: readonly MessageEntity[] = []): EntityText {
  return addFound(cleanText({ text: given, entities: [...entities] }))
}
