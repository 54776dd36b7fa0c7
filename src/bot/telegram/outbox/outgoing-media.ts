import type { FileBytes } from './outgoing.ts'

/** What a message shows a file as. */
export type ShownAs = 'video' | 'photo' | 'audio' | 'document'

/**
 * Where a file comes from: a link for Telegram to fetch (20 MB at most, of a photo 5 MB), its bytes (50 MB at
 * most, of a photo 10 MB), or a file that Telegram has.
 */
export type FileSource =
  | { url: string }
  | { bytes: FileBytes; fileName: string }
  | { fileId: string }

/** A file on its way into a message. What is not said of it Telegram finds out, or shows without. */
export interface OutgoingMedia {
  type: ShownAs
  source: FileSource
  caption?: string | undefined
  /** Of a video, in pixels. */
  width?: number | undefined
  height?: number | undefined
  /** Of a video or an audio. */
  durationSeconds?: number | undefined
  /** Of an audio. */
  title?: string | undefined
}

/** A file in a message. Telegram shows it again by its id, to whomever the bot may write, at no cost. */
export interface ShownFile {
  type: ShownAs
  fileId: string
}
