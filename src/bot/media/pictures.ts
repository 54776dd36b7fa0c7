import type { Message } from 'grammy/types'
import { readImageSize, recogniseMedia } from '../../platform/http/media-type.ts'
import { atMost } from '../../platform/time/at-most.ts'
import { DOWNLOAD_BYTES_MAX, type FileDownload } from '../telegram/download-file.ts'
import {
  hashOfPictureToken,
  makePictureToken,
  tokenOfPictureUrl,
  toPictureUrl,
} from './addresses.ts'
import type { StoredPictures } from './stored-pictures.ts'

/** How many are in memory at once, each of up to 20 MB. */
const FETCHES_MAX = 4

/** Pixels of a side. Smaller ones show nothing, larger ones no service takes. */
const SIDE_MIN = 200
const SIDE_MAX = 8000
/** The longer side to the shorter. Videos have 16 to 9; panoramas and screens of phones pass. */
const ASPECT_MAX = 3

const CONTENT_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp'])

interface Picture {
  fileId: string
  sizeBytes: number | undefined
  /** Pixels. Telegram does not state them of a picture that was sent as a file. */
  width: number | undefined
  height: number | undefined
}

export type GivenPicture =
  | ({ type: 'picture' } & Picture)
  /** An album: it is not known which of its pictures is meant. */
  | { type: 'one_of_several' }
  | { type: 'not_a_picture' }

/** The texts name the limits above. */
type PictureProblem = 'too_large' | 'too_small' | 'wrong_shape' | 'not_a_picture'

export type PictureOffer =
  /** The service finds the picture at `imageUrl` for two hours; once it is ordered, as long as its order needs it. */
  | { status: 'offered'; imageUrl: string }
  | { status: PictureProblem }
  /** The service is elsewhere and cannot reach this process. */
  | { status: 'no_public_url' }
  | { status: 'one_of_several' }
  /** Telegram does not have it, or does not give it now. */
  | { status: 'gone' }

export interface PicturesDeps {
  /** The root at which the service finds this process, without a slash at the end; undefined if it cannot now. */
  findRoot: () => string | undefined
  stored: Pick<StoredPictures, 'keep' | 'findFile'>
  download: FileDownload['download']
  signal: AbortSignal
}

/** Copies pictures and serves them at addresses that cannot be guessed (docs/bot.md#pictures). */
export function createPictures({ findRoot, stored, download, signal }: PicturesDeps) {
  const inTurn = atMost(FETCHES_MAX)
  return { offer, offerAgain }

  /** Call it when the picture is ordered, not long before. */
  async function offer(
    picture: GivenPicture,
    { userId }: { userId: number },
  ): Promise<PictureOffer> {
    const root = findRoot()
    if (root === undefined) return { status: 'no_public_url' }
    if (picture.type !== 'picture') return { status: picture.type }
    const problem = judgeFacts(picture)
    if (problem !== undefined) return { status: problem }
    const { fileId } = picture
    return inTurn(async () => {
      const downloaded = await download(fileId, { signal })
      if (downloaded.status !== 'ok') return downloaded
      const { bytes } = downloaded
      const judged = judgeBytes(bytes)
      if ('problem' in judged) return { status: judged.problem }
      const token = makePictureToken()
      await stored.keep(hashOfPictureToken(token), { userId, fileId, bytes, ...judged })
      return { status: 'offered', imageUrl: toPictureUrl(root, token) }
    })
  }

  /** An address that is not ours stays as it is. */
  async function offerAgain(imageUrl: string, user: { userId: number }): Promise<PictureOffer> {
    const token = tokenOfPictureUrl(imageUrl)
    if (token === undefined) return { status: 'offered', imageUrl }
    const fileId = await stored.findFile(hashOfPictureToken(token))
    return fileId === undefined ? { status: 'gone' } : offer(pictureWith(fileId), user)
  }
}

export type Pictures = ReturnType<typeof createPictures>

export function pictureWith(fileId: string): GivenPicture {
  return { type: 'picture', fileId, sizeBytes: undefined, width: undefined, height: undefined }
}

export function pictureRefusal({ status }: Exclude<PictureOffer, { status: 'offered' }>): string {
  return `picture-${status.replaceAll('_', '-')}`
}

function judgeFacts({
  sizeBytes = 0,
  width,
  height,
}: Pick<Picture, 'sizeBytes' | 'width' | 'height'>): PictureProblem | undefined {
  if (sizeBytes > DOWNLOAD_BYTES_MAX) return 'too_large'
  if (width === undefined || height === undefined) return undefined
  const [short, long] = width < height ? [width, height] : [height, width]
  if (short < SIDE_MIN) return 'too_small'
  if (long > SIDE_MAX) return 'too_large'
  return long > ASPECT_MAX * short ? 'wrong_shape' : undefined
}

function judgeBytes(bytes: Buffer): { contentType: string } | { problem: PictureProblem } {
  const { contentType = '' } = recogniseMedia(bytes) ?? {}
  const size = CONTENT_TYPES.has(contentType) ? readImageSize(bytes) : undefined
  if (size === undefined) return { problem: 'not_a_picture' }
  const problem = judgeFacts({ sizeBytes: bytes.byteLength, ...size })
  return problem === undefined ? { contentType } : { problem }
}

/** Reads a message's picture, else the answered message's. Files count: people send them to keep pictures sharp. */
export function readPicture(message: Message): GivenPicture | undefined {
  const { media_group_id, text, reply_to_message, external_reply } = message
  if (media_group_id !== undefined) return { type: 'one_of_several' }
  const own = pictureOf(message)
  if (own !== undefined) return own
  if (text === undefined) return { type: 'not_a_picture' }
  return pictureOf(reply_to_message ?? external_reply ?? {})
}

function pictureOf({
  photo,
  document,
}: Pick<Message, 'photo' | 'document'>): GivenPicture | undefined {
  const largest = photo?.at(-1)
  if (largest !== undefined) return toGiven(largest)
  return document?.mime_type?.startsWith('image/') ? toGiven(document) : undefined
}

function toGiven(file: {
  file_id: string
  file_size?: number
  width?: number
  height?: number
}): GivenPicture {
  return {
    type: 'picture',
    fileId: file.file_id,
    sizeBytes: file.file_size,
    width: file.width,
    height: file.height,
  }
}
