import type { MessageEntity } from 'grammy/types'
import type { Destination } from './body.ts'
import type { Extras } from './outgoing.ts'

/** Longest caption in UTF-16 units. Telegram counts code points, so this is always safe. */
export const CAPTION_CHARS_MAX = 1024

/** The kind of message that shows a file. */
export type ShownAs = 'video' | 'photo' | 'audio' | 'document'

/**
 * The source of a file: a link for Telegram to fetch (20 MB at most, of a photo 5 MB), its bytes (50 MB at
 * most, of a photo 10 MB), or a file that Telegram has.
 */
export type FileSource =
  | { url: string }
  | { bytes: FileBytes; fileName: string }
  | { fileId: string }

/** The bytes, or a function that opens them: it is called for every attempt. */
export type FileBytes = Uint8Array | (() => AsyncIterable<Uint8Array>)

/** A file on its way into a message. Telegram finds out what is left out here, or shows the file without it. */
export interface OutgoingFile {
  type: ShownAs
  source: FileSource
  /** A text of at most `CAPTION_CHARS_MAX` characters. */
  caption?: string | undefined
  /** Formatting of the caption, in UTF-16 units. */
  captionEntities?: MessageEntity[] | undefined
  width?: number | undefined
  height?: number | undefined
  durationSeconds?: number | undefined
  title?: string | undefined
}

/** A file in a message. Telegram shows it again by its id, to whomever the bot may write, at no cost. */
export interface ShownFile {
  type: ShownAs
  fileId: string
}

/**
 * One file, or an album of up to ten: of photos and videos, of audios alone or of documents alone. An album has no
 * keyboard.
 */
export interface OutgoingMedia extends Destination, Extras {
  files: readonly OutgoingFile[]
}

/** The messages that came of it, one for each file. */
export interface SentMedia {
  chatId: number
  messageIds: readonly number[]
  files: readonly ShownFile[]
}
