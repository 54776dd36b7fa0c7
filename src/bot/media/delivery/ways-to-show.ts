import type { ImageSize, MediaType } from '../../../platform/http/media-type.ts'
import type { ShownAs } from '../../telegram/send.ts'

/** Telegram shrinks photos and takes none beyond these bounds. */
const PHOTO_BYTES_MAX = 10 * 1024 * 1024
/** Width and height together, in pixels. */
const PHOTO_SIDES_MAX = 10_000
const PHOTO_RATIO_MAX = 20

const SHOWN_AS: Readonly<Record<string, ShownAs>> = {
  mp4: 'video',
  jpg: 'photo',
  png: 'photo',
  webp: 'photo',
  // `sendAudio` refuses others, such as WAV.
  mp3: 'audio',
  m4a: 'audio',
}

/** The known facts of a file that is to be uploaded. */
export interface UploadFacts {
  type: MediaType
  bytes: number
  size?: ImageSize | undefined
}

/**
 * How files can be uploaded together, best first: as what they are, then as documents, which every file can
 * be. An album is of photos and videos, of audios alone or of documents alone.
 */
export function waysToShow(files: readonly UploadFacts[]): ShownAs[][] {
  const documents = files.map((): ShownAs => 'document')
  const best = files.map(bestWay)
  const isAlone = best.some((way) => way === 'audio' || way === 'document')
  const isMixed = isAlone && new Set(best).size > 1
  return isMixed || best[0] === 'document' ? [documents] : [best, documents]
}

function bestWay({ type: { extension }, bytes, size }: UploadFacts): ShownAs {
  const way = SHOWN_AS[extension] ?? 'document'
  return way === 'photo' && !isPhoto(bytes, size) ? 'document' : way
}

/** A picture of unknown size may be a photo. */
function isPhoto(bytes: number, { width, height }: ImageSize = { width: 1, height: 1 }): boolean {
  const ratio = Math.max(width, height) / Math.min(width, height)
  return bytes <= PHOTO_BYTES_MAX && width + height <= PHOTO_SIDES_MAX && ratio <= PHOTO_RATIO_MAX
}

const ALBUM_FILES_MAX = 10

/** Parts results into albums that are as even as can be: one of a single file would be none. */
export function toAlbums<T>(results: readonly T[]): T[][] {
  const size = Math.ceil(results.length / Math.ceil(results.length / ALBUM_FILES_MAX))
  const albums: T[][] = []
  for (let at = 0; at < results.length; at += size) albums.push(results.slice(at, at + size))
  return albums
}
