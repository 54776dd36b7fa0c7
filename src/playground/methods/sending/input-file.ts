import { readBody } from '../../../platform/http/exchange.ts'
import { readImageSize } from '../../../platform/http/image-size.ts'
import { ApiError, badRequest } from '../../wire/envelope.ts'
import type { Params, Upload } from '../../wire/params.ts'
import { withTimeout } from '../../wire/with-timeout.ts'
import type { FileKind, StoredFile } from '../../world/files.ts'
import type { MethodDeps } from '../method.ts'

const URL_BYTES_MAX = 20 * 1024 * 1024
const PHOTO_URL_BYTES_MAX = 5 * 1024 * 1024
const PHOTO_UPLOAD_BYTES_MAX = 10 * 1024 * 1024
/** Width and height together. */
const PHOTO_SIDES_MAX = 10_000
const PHOTO_RATIO_MAX = 20
const URL_TIMEOUT_MS = 20_000

type FileDeps = Pick<MethodDeps, 'files' | 'clock' | 'closing'>

/** A file as a call names it. */
export interface NamedFile {
  kind: FileKind
  value: string
  /** The fields that describe it, with the files of the call. */
  fields: Params
}

/** The types that clients play as music. */
const MUSIC = /^audio\/(mpeg|mp3|mp4|m4a|x-m4a)$/

/** The types that Telegram fetches by itself, by kind. */
const URL_MIMES: Readonly<Record<FileKind, RegExp>> = {
  photo: /^image\/(jpeg|png|webp|gif)$/,
  video: /^video\/mp4$/,
  animation: /^(image\/gif|video\/mp4)$/,
  video_note: /^video\/mp4$/,
  audio: MUSIC,
  document: /^(image\/gif|application\/(pdf|zip))$/,
  voice: /^audio\/ogg$/,
  sticker: /^image\/webp$/,
}

/** The kinds in the words of a refusal. */
const TYPE_NAMES: Readonly<Record<FileKind, string>> = {
  photo: 'Photo',
  video: 'Video',
  animation: 'Animation',
  video_note: 'VideoNote',
  document: 'Document',
  audio: 'Audio',
  voice: 'VoiceNote',
  sticker: 'Sticker',
}

/**
 * Finds the file that a value stands for.
 *
 * `attach://name` is a part of the body, a value with a dot is a URL, anything else a file id.
 *
 * @returns Takes its bytes in, fetching a URL for real.
 * @throws {ApiError} For a value that stands for none.
 */
export function readInputFile(
  { value, kind, fields }: NamedFile,
  deps: FileDeps,
): () => Promise<StoredFile> {
  if (value.startsWith('attach://')) {
    const upload = fields.uploads.get(value.slice('attach://'.length))
    if (upload === undefined) throw noFile(kind)
    return async () => {
      const isTooBig = kind === 'photo' && upload.bytes.length > PHOTO_UPLOAD_BYTES_MAX
      if (isTooBig) throw badRequest('file is too big')
      return add(upload)
    }
  }
  if (value.includes('.')) {
    const url = parseUrl(value)
    return async () => add(await fetchFile(url, kind, deps))
  }
  const file = deps.files.byFileId(value)
  const isDocument = (name: FileKind) => name !== 'photo' && name !== 'sticker'
  if (file.kind !== kind && !(isDocument(file.kind) && isDocument(kind))) {
    throw badRequest(`can't use file of type ${TYPE_NAMES[file.kind]} as ${TYPE_NAMES[kind]}`)
  }
  return async () => file

  function add(given: Upload): StoredFile {
    const added = deps.files.add({ ...given, kind })
    if (kind === 'photo') checkPhoto(given.bytes)
    if (kind === 'audio' && !MUSIC.test(added.mime)) throw badRequest('AUDIO_EXT_INVALID')
    return added
  }
}

/** Telegram decodes photos, so bytes that are no picture are refused, and those that are too large or too long. */
function checkPhoto(bytes: Buffer): void {
  const size = readImageSize(bytes)
  if (size === undefined) throw badRequest('IMAGE_PROCESS_FAILED')
  const [short = 0, long = 0] = [size.width, size.height].sort((a, b) => a - b)
  const isFit = short + long <= PHOTO_SIDES_MAX && long <= short * PHOTO_RATIO_MAX
  if (!isFit) throw badRequest('PHOTO_INVALID_DIMENSIONS')
}

export function noFile(kind: FileKind): ApiError {
  return badRequest(`there is no ${kind.replace('_', ' ')} in the request`)
}

async function fetchFile(url: URL, kind: FileKind, { clock, closing }: FileDeps): Promise<Upload> {
  const fetching = withTimeout(
    async (signal) => {
      const response = await fetch(url, { signal })
      if (response.status !== 200 || response.body === null) {
        await response.body?.cancel()
        throw badRequest('WEBPAGE_CURL_FAILED')
      }
      const mime = (response.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
      const bytesMax = kind === 'photo' ? PHOTO_URL_BYTES_MAX : URL_BYTES_MAX
      const bytes = await readBody(response.body, bytesMax)
      if (!URL_MIMES[kind].test(mime)) throw badRequest('WEBPAGE_MEDIA_EMPTY')
      return { fileName: url.pathname.split('/').at(-1) || kind, mime, bytes }
    },
    { clock, timeoutMs: URL_TIMEOUT_MS, signal: closing },
  )
  // Unreachable, too slow and too long are the same to the caller.
  return fetching.catch((error) => {
    throw error instanceof ApiError ? error : badRequest('WEBPAGE_CURL_FAILED')
  })
}

function parseUrl(value: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/.test(url.protocol)) throw badRequest('EXTERNAL_URL_INVALID')
  return url
}
