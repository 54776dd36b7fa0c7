/**
 * Gives results to Telegram in the first way that it accepts.
 *
 * Telegram fetches results at public addresses by itself, up to 20 MB. The others become files on disk and are uploaded,
 * up to 50 MB in one message.
 */
import { SOUND_DEFAULTS, VIDEO_DEFAULTS } from '../../contract/tasks.ts'
import type { MediaType } from '../../platform/http/media-type.ts'
import { isPublicUrl } from '../../platform/http/url-guard.ts'
import { errorFacts, isTelegramError } from '../telegram/errors.ts'
import type { FileSource, OutgoingFile, ShownAs } from '../telegram/send.ts'
import { type FetchedResult, ResultError, UPLOAD_BYTES_MAX } from './fetch-result.ts'
import type { Order, OrdersApp } from './orders-app.ts'
import { captionOf, mediaOf, trackTitleOf } from './texts.ts'

const ALBUM_FILES_MAX = 10

const LINKED_AS = { video: 'video', image: 'photo', sound: 'audio' } as const

const SHOWN_AS: Readonly<Record<string, ShownAs>> = {
  mp4: 'video',
  jpg: 'photo',
  png: 'photo',
  webp: 'photo',
  // `sendAudio` refuses others, such as WAV.
  mp3: 'audio',
  m4a: 'audio',
}

interface Giving<Given> {
  urls: readonly string[]
  /** Called once for each way that is tried. @throws `media_refused` If Telegram refuses a file: nothing was shown. */
  show: (files: readonly OutgoingFile[]) => Promise<Given>
}

interface GivingParts {
  app: Pick<OrdersApp, 'fetchResult' | 'guard' | 'log'>
  aborted: AbortSignal
}

/**
 * @returns The value of `show`; `link` if only the addresses are left; `impossible` if those are of a private network, or
 *   lead to no results.
 * @throws {ResultError} If a result did not come; it may later.
 * @throws Other errors of `show`, or the signal's reason.
 */
export async function giveResults<Given>(
  parts: GivingParts,
  order: Order,
  giving: Giving<Given>,
): Promise<Given | 'link' | 'impossible'> {
  const arePublic = giving.urls.every(isPublicUrl)
  const type = LINKED_AS[order.kind]
  try {
    if (arePublic) {
      const linked = giving.urls.map((url, index) =>
        toOutgoing(order, { type, source: { url }, index }),
      )
      return await giving.show(linked)
    }
  } catch (error) {
    if (!isTelegramError(error, 'media_refused')) throw error
  }
  try {
    return await upload(parts, order, giving)
  } catch (error) {
    const code = error instanceof ResultError ? error.code : undefined
    const isUnfit = code === 'too_large' || isTelegramError(error, 'media_refused')
    if (code !== 'refused' && !isUnfit) throw error
    parts.app.log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'result refused')
    return isUnfit && arePublic ? 'link' : 'impossible'
  }
}

/** Makes albums as even as possible: an album needs two files. */
export function toAlbums<T>(results: readonly T[]): T[][] {
  const size = Math.ceil(results.length / Math.ceil(results.length / ALBUM_FILES_MAX))
  const albums: T[][] = []
  for (let at = 0; at < results.length; at += size) albums.push(results.slice(at, at + size))
  return albums
}

async function upload<Given>(
  { app, aborted: signal }: GivingParts,
  order: Order,
  { urls, show }: Giving<Given>,
): Promise<Given> {
  const fetched: FetchedResult[] = []
  let bytesMax = UPLOAD_BYTES_MAX
  try {
    for (const url of urls) {
      const rules = { kind: order.kind, bytesMax, guard: app.guard, signal }
      const result = await app.fetchResult(url, rules)
      fetched.push(result)
      bytesMax -= result.file.bytes
    }
    return await showUploads(order, fetched, show)
  } finally {
    await Promise.all(fetched.map(({ file }) => file.close()))
  }
}

async function showUploads<Given>(
  order: Order,
  fetched: readonly FetchedResult[],
  show: Giving<Given>['show'],
): Promise<Given> {
  const best = bestTypes(fetched)
  const showAs = (types: readonly ShownAs[]) =>
    show(
      fetched.map(({ type: { extension }, file }, index) => {
        const ordinal = fetched.length > 1 ? `-${index + 1}` : ''
        const fileName = `${order.kind}-${order.id}${ordinal}.${extension}`
        const source = { bytes: file.read, fileName }
        return toOutgoing(order, { type: types[index] ?? 'document', source, index })
      }),
    )
  try {
    return await showAs(best)
  } catch (error) {
    const areDocuments = best.every((type) => type === 'document')
    if (areDocuments || !isTelegramError(error, 'media_refused')) throw error
    return showAs([])
  }
}

/** An album is of photos and videos, of audios alone or of documents alone. */
function bestTypes(files: readonly { type: MediaType }[]): ShownAs[] {
  const best = files.map(({ type }) => SHOWN_AS[type.extension] ?? 'document')
  const isAlone = best.some((type) => type === 'audio' || type === 'document')
  return isAlone && new Set(best).size > 1 ? [] : best
}

/**
 * Adds the facts that Telegram cannot find out. There is no thumbnail: no library in pure JavaScript decodes H.264.
 * Telegram makes its own for a video of up to 10 MB.
 */
function toOutgoing(
  order: Order,
  { type, source, index }: { type: ShownAs; source: FileSource; index: number },
): OutgoingFile {
  const file = { type, source, ...(index === 0 && { caption: captionOf(order) }) }
  if (type === 'video') return { ...file, ...orderedFacts(order) }
  if (type === 'audio') return { ...file, ...orderedFacts(order), title: trackTitleOf(order) }
  return file
}

/** A video that was made from a picture has the picture's shape. */
function orderedFacts(order: Order): Pick<OutgoingFile, 'width' | 'height' | 'durationSeconds'> {
  const media = mediaOf(order)
  if (media.kind === 'image') return {}
  if (media.kind === 'sound') {
    return { durationSeconds: media.request.duration ?? SOUND_DEFAULTS.duration }
  }
  const { duration = VIDEO_DEFAULTS.duration, quality, aspect_ratio, image_url } = media.request
  if (image_url !== undefined && aspect_ratio === undefined) return { durationSeconds: duration }
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  const [width, height] = aspect_ratio === '720:1280' ? [short, long] : [long, short]
  return { width, height, durationSeconds: duration }
}
