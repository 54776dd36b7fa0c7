import type { TextQuote } from 'grammy/types'
import type {
  Content,
  FileKind,
  MediaFile,
  MessageFacts,
  StoredFile,
  StoredMessage,
} from '../state.ts'

/** A message as the reader of a chat sees it: with a text, or with media under the name of its kind. */
export interface PlaygroundMessage
  extends MessageFacts,
    Omit<Content, 'text' | 'media'>,
    Partial<Record<FileKind, StoredFile & MediaFile & { bytes: Buffer | undefined }>> {
  text?: string
  caption?: string
}

/** @param bytesOf Returns the bytes of a file that is held in memory. */
export function toPlaygroundMessage(
  { content, ...facts }: StoredMessage,
  bytesOf: (file: StoredFile) => Buffer | undefined,
): PlaygroundMessage {
  const { text, media, ...more } = content
  if (media === undefined) return { ...facts, ...more, text }
  const shown = { ...media.file, ...media, bytes: bytesOf(media.file) }
  return { ...facts, ...more, caption: text, [media.kind]: shown }
}

export function toLine({ id, from, editDate, content }: StoredMessage): string {
  const { text, media, service = {} } = content
  const edited = editDate === undefined ? '' : ' (edited)'
  const file = media ? `[${media.kind} ${media.file.size} bytes] ` : ''
  return `  #${id} ${from}${edited}: ${file}${text}${Object.keys(service).join()}`
}

export function findQuote(message: StoredMessage | undefined, text: string): TextQuote | undefined {
  const position = message?.content.text.indexOf(text) ?? -1
  return position < 0 ? undefined : { text, position, is_manual: true }
}
