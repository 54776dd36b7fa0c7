import type { FileKind } from '../../world/files.ts'
import type { Card, Content } from '../../world/message.ts'

/** Kinds of files in the words of a refusal. */
export const FILE_NOUNS: Readonly<Record<FileKind, string>> = {
  photo: 'photos',
  video: 'videos',
  animation: 'animations',
  video_note: 'video notes',
  document: 'documents',
  audio: 'music',
  voice: 'voice notes',
  sticker: 'stickers',
}

/** A venue is asked for before the location that it brings along. */
const CARD_NOUNS = {
  venue: 'venues',
  location: 'locations',
  contact: 'contacts',
  poll: 'polls',
  dice: 'dice',
} as const satisfies Record<keyof Card, string>

/** Names the content of a message in the words of a refusal. */
export function nounOf({ media, rich, card }: Content): string {
  if (media) return FILE_NOUNS[media.kind]
  if (rich) return 'the rich message'
  const names = Object.keys(CARD_NOUNS) as (keyof Card)[]
  const name = names.find((known) => card?.[known] !== undefined)
  return name === undefined ? 'text messages' : CARD_NOUNS[name]
}
