import type { Document, Message } from 'grammy/types'
import type { UnseenKind } from '../../../platform/database/generated/enums.ts'
import { shortenLine } from '../../locales/shorten.ts'
import { readFileFormat } from './file-format.ts'
import type { GivenFile } from './read-file.ts'

/** The part of a message beside its words: a file that is read, or one that no model here can see. */
export type Attachment = { type: 'file'; file: GivenFile } | { type: 'unseen'; kind: UnseenKind }

const NAME_CHARS_MAX = 100
/** Characters that make a name look like another one, or a line like two. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu
/** The kinds in the order in which they are tried: an animation comes with a document, too. */
const UNSEEN = ['photo', 'animation', 'video', 'audio', 'voice', 'video_note', 'sticker'] as const
const TYPES: Readonly<Record<string, UnseenKind>> = {
  image: 'photo',
  video: 'video',
  audio: 'audio',
}

/** Finds the part of a message beside its words. Undefined if there is none. */
export function readAttachment(
  message: Pick<Message, (typeof UNSEEN)[number] | 'document'>,
): Attachment | undefined {
  const kind = UNSEEN.find((name) => message[name] !== undefined)
  if (kind !== undefined) return { type: 'unseen', kind }
  return message.document && readDocument(message.document)
}

function readDocument(document: Document): Attachment {
  const { file_id: fileId, file_unique_id: fileUniqueId } = document
  const { file_name = '', mime_type = '', file_size: sizeBytes } = document
  const format = readFileFormat(document)
  const [type = ''] = mime_type.split('/')
  if (format === undefined) return { type: 'unseen', kind: TYPES[type] ?? 'file' }
  const name = shortenLine(file_name.replace(HIDDEN, ' '), NAME_CHARS_MAX)
  return { type: 'file', file: { fileId, fileUniqueId, name, format, sizeBytes } }
}
