import type { MessageEntity } from 'grammy/types'
import { addFound } from '../content/entities.ts'
import {
  CAPTION_CHARS_MAX,
  cleanText,
  codePoints,
  type EntityText,
  TEXT_CHARS_MAX,
} from '../content/text.ts'
import { type Content, FILE_KINDS, type FileKind, type StoredFile } from '../state.ts'
import type { FileStore } from '../world/files.ts'

export type UserFile = FileFacts & ({ bytes: Uint8Array } | { kept: StoredFile })

interface FileFacts {
  fileName?: string
  mime?: string
  /** The size that is shown: the bytes stand for a file that would be too large to keep. */
  sizeBytes?: number
  /** Seconds. */
  duration?: number
  sides?: { width: number; height: number } | undefined
}

/** A text, or one file with or without a caption. */
export interface GivenContent extends Partial<Record<FileKind, UserFile>> {
  text?: string
  caption?: string
  /** The formatting that a person chose; mentions, commands and links are found without it. */
  entities?: readonly MessageEntity[]
}

const FILE_NAMES: Readonly<Record<FileKind, string>> = {
  photo: 'photo.jpg',
  video: 'video.mp4',
  document: 'document.bin',
  audio: 'audio.mp3',
  voice: 'voice.ogg',
  sticker: 'sticker.webp',
}

/** Makes content as a client would. @throws {RangeError} For a text that no client sends. */
export function toContent(given: GivenContent, files: FileStore): Content {
  const kind = FILE_KINDS.find((known) => given[known] !== undefined)
  const file = kind && given[kind]
  if (kind === undefined || file === undefined) {
    const formatted = toFormatted(given.text ?? '', given.entities)
    checkLength(formatted, {})
    return formatted
  }
  const { fileName = FILE_NAMES[kind], mime = '', duration = 0, sizeBytes } = file
  const formatted = toFormatted(given.caption ?? '', given.entities)
  const added =
    'kept' in file
      ? file.kept
      : files.add({ kind, fileName, mime, bytes: Buffer.from(file.bytes), sizeBytes })
  const media = files.show(kind, added, { duration, ...file.sides })
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

export function toFormatted(given: string, entities: readonly MessageEntity[] = []): EntityText {
  return addFound(cleanText({ text: given, entities: [...entities] }))
}

/** How much of a message clients give up for an end at a line or a word. */
const SLACK = 4

/**
 * Splits a text that is too long for one message as clients do: at the last line end near the limit, else at the
 * last space there, else at the limit. Entities are split with it.
 */
export function splitText({ text, entities }: EntityText): EntityText[] {
  const pieces: EntityText[] = []
  for (let start = 0; start < text.length; ) {
    const end = findEnd(text, start)
    pieces.push({ text: text.slice(start, end), entities: cutEntities(entities, start, end) })
    start = end
  }
  // What is only spaces shows nothing, and no client sends it.
  return pieces.filter((piece) => piece.text.trim() !== '')
}

function findEnd(text: string, start: number): number {
  let limit = start
  for (let count = 0; count < TEXT_CHARS_MAX && limit < text.length; count++) {
    limit += (text.codePointAt(limit) ?? 0) > 0xffff ? 2 : 1
  }
  if (limit === text.length) return limit
  const nearest = limit - Math.floor((limit - start) / SLACK)
  for (const separator of ['\n', ' ']) {
    const found = text.lastIndexOf(separator, limit - 1)
    if (found >= nearest) return found + 1
  }
  return limit
}

function cutEntities(entities: readonly MessageEntity[], start: number, end: number) {
  return entities.flatMap((entity) => {
    const from = Math.max(entity.offset, start)
    const to = Math.min(entity.offset + entity.length, end)
    return from < to ? [{ ...entity, offset: from - start, length: to - from }] : []
  })
}
