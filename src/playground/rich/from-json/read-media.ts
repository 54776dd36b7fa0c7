import type { RichBlock } from 'grammy/types'

export const MEDIA_TYPES = [
  'photo',
  'video',
  'animation',
  'audio',
  'voice_note',
  'document',
] as const

export type MediaType = (typeof MEDIA_TYPES)[number]

/** The fields that the block of a file shows, as the Bot API has them. */
export type MediaFields = Record<string, unknown>

/**
 * Checks the `InputMedia` of a block.
 *
 * @returns Takes its file in, fetching a URL for real.
 */
export type ReadMedia = (type: MediaType, media: unknown) => () => Promise<MediaFields>

/** A block that has yet to get its file. */
export interface AwaitedMedia {
  block: RichBlock
  takeIn: () => Promise<MediaFields>
}
