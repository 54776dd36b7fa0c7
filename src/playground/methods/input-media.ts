import { readBody } from '../../platform/http/http-client.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import { readImageSize } from '../../platform/http/media-type.ts'
import { addFound, readFormatted } from '../content/entities.ts'
import { CAPTION_CHARS_MAX, cleanText, codePoints, type EntityText } from '../content/text.ts'
import type { Content, MediaFacts, StoredFile } from '../state.ts'
import { ApiError, badRequest } from '../wire/envelope.ts'
import { boolOf, intOf, jsonOf, type Params, textOf, toTexts, type Upload } from '../wire/params.ts'
import type { MethodDeps } from './method.ts'

const SIDE_MAX = 10_000
const DURATION_S_MAX = 86_400
/** The documentation's bounds of an album; the server would send a single file as a message. */
const GROUP_MIN = 2
const GROUP_MAX = 10
const URL_BYTES_MAX = 20 * 1024 * 1024
const PHOTO_URL_BYTES_MAX = 5 * 1024 * 1024
const PHOTO_UPLOAD_BYTES_MAX = 10 * 1024 * 1024
const PHOTO_SIDES_MAX = 10_000
const PHOTO_RATIO_MAX = 20
const URL_TIMEOUT_MS = 20_000

const SENT_KINDS = ['photo', 'video', 'document', 'audio'] as const

export type SentKind = (typeof SENT_KINDS)[number]

/** The types that clients play as music. */
const MUSIC = /^audio\/(mpeg|mp3|mp4|m4a|x-m4a)$/

/** The types that Telegram fetches by itself, by kind. */
const URL_MIMES: Readonly<Record<SentKind, RegExp>> = {
  photo: /^image\/(jpeg|png|webp|gif)$/,
  video: /^video\/mp4$/,
  audio: MUSIC,
  document: /^(image\/gif|application\/(pdf|zip))$/,
}

export interface GivenMedia {
  kind: SentKind
  value: string
  fields: Params
  caption: EntityText
}

/** Reads the media of `sendVideo` and its like, in the parameter or the part named after the kind. */
export function readMedia(params: Params, kind: SentKind): GivenMedia {
  const value = params.uploads.has(kind) ? `attach://${kind}` : textOf(params, kind)
  if (value === '') throw noFile(kind)
  return { kind, value, fields: params, caption: readFormatted(params, 'caption') }
}

/** Reads the `media` of `editMessageMedia`. */
export function readInputMedia(params: Params): GivenMedia {
  const media = jsonOf(params, 'media', "can't parse input media JSON object")
  return toGivenMedia(media, params)
}

/** Reads the `media` of `sendMediaGroup`: only photos and videos mix. */
export function readMediaGroup(params: Params): GivenMedia[] {
  const list = jsonOf(params, 'media', "can't parse media JSON object")
  if (!Array.isArray(list)) throw badRequest('expected an Array of InputMedia')
  if (list.length < GROUP_MIN) throw badRequest('there are no messages to send')
  if (list.length > GROUP_MAX) throw badRequest('too many messages to send as an album')
  const group = list.map((media) => toGivenMedia(media, params))
  const kinds = new Set(group.map(({ kind }) => kind))
  const alone = group.find(({ kind }) => kind === 'audio' || kind === 'document')
  if (alone && kinds.size > 1) {
    const name = alone.kind === 'audio' ? 'Audio' : 'Document'
    throw badRequest(`${name} can't be mixed with other media types`)
  }
  return group
}

function toGivenMedia(media: unknown, { uploads }: Params): GivenMedia {
  if (!isJsonObject(media)) throw badRequest("can't parse InputMedia: expected an Object")
  const kind = SENT_KINDS.find((known) => known === media.type)
  if (kind === undefined) {
    throw badRequest(`can't parse InputMedia: type "${String(media.type)}" is unsupported`)
  }
  const { media: value } = media
  if (typeof value !== 'string' || value === '') throw badRequest('media not found')
  // Its fields follow the rules of parameters from here on.
  const fields: Params = { texts: toTexts(media), uploads }
  return { kind, value, fields, caption: readFormatted(fields, 'caption') }
}

/**
 * Cleans the caption and finds the file.
 *
 * @returns Stores the file, fetching a URL for real.
 * @throws {ApiError} For an invalid caption or file id.
 */
export function prepareMedia(given: GivenMedia, deps: MethodDeps): () => Promise<Content> {
  const { kind, fields } = given
  const takeIn = readInputFile(given, deps)
  const caption = addFound(cleanText(given.caption))
  if (codePoints(caption.text) > CAPTION_CHARS_MAX) throw badRequest('message caption is too long')
  const facts = readFacts(kind, fields)
  return async () => ({ ...caption, media: deps.files.show(kind, await takeIn(), facts) })
}

function readFacts(kind: SentKind, fields: Params): Partial<MediaFacts> {
  const side = (name: string) => intOf(fields, name, { min: 0, max: SIDE_MAX })
  const title = textOf(fields, 'title')
  return {
    // The size of a picture is read from it.
    ...(kind !== 'photo' && { width: side('width'), height: side('height') }),
    duration: intOf(fields, 'duration', { min: 0, max: DURATION_S_MAX }),
    supportsStreaming: boolOf(fields, 'supports_streaming'),
    extra: title === '' ? {} : { title },
  }
}

/** Finds a file: `attach://name` is a part of the body, a value with a dot a URL, others file ids. */
function readInputFile(
  { value, kind, fields }: GivenMedia,
  deps: Pick<MethodDeps, 'files' | 'closing'>,
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
    return async () => add(await fetchFile(url, kind, deps.closing))
  }
  const file = deps.files.byFileId(value)
  if (file.kind !== kind && (file.kind === 'photo' || kind === 'photo')) {
    const nameOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
    throw badRequest(`can't use file of type ${nameOf(file.kind)} as ${nameOf(kind)}`)
  }
  return async () => file

  function add(given: Upload): StoredFile {
    const added = deps.files.add({ ...given, kind })
    if (kind === 'photo') checkPhoto(given.bytes)
    if (kind === 'audio' && !MUSIC.test(added.mime)) throw badRequest('AUDIO_EXT_INVALID')
    return added
  }
}

/** Refuses photos that Telegram cannot decode, and pictures that are too large or too long. */
function checkPhoto(bytes: Buffer): void {
  const size = readImageSize(bytes)
  if (size === undefined) throw badRequest('IMAGE_PROCESS_FAILED')
  const [short = 0, long = 0] = [size.width, size.height].sort((a, b) => a - b)
  const isFit = short + long <= PHOTO_SIDES_MAX && long <= short * PHOTO_RATIO_MAX
  if (!isFit) throw badRequest('PHOTO_INVALID_DIMENSIONS')
}

function noFile(kind: SentKind): ApiError {
  return badRequest(`there is no ${kind} in the request`)
}

async function fetchFile(url: URL, kind: SentKind, closing: AbortSignal): Promise<Upload> {
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(URL_TIMEOUT_MS)])
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
  } catch (error) {
    // Telegram reports unreachable, slow and oversized files in the same words.
    throw error instanceof ApiError ? error : badRequest('WEBPAGE_CURL_FAILED')
  }
}

function parseUrl(value: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/.test(url.protocol)) throw badRequest('EXTERNAL_URL_INVALID')
  return url
}
