import type { MessageEntity } from 'grammy/types'
import { isJsonObject } from '../../../http/json.ts'
import { readEntities } from '../../content/entities.ts'
import { cleanText, codePoints } from '../../content/text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, intOf, jsonOf, type Params, textOf, toTexts } from '../../wire/params.ts'
import type { Content } from '../../world/message.ts'
import { type NamedFile, noFile, readInputFile } from './input-file.ts'
import type { MethodDeps } from './method.ts'

const CAPTION_CHARS_MAX = 1_024
const SIDE_MAX = 10_000
const DURATION_S_MAX = 86_400
/** The documentation's bounds of an album; the server would send a single one as a message. */
const GROUP_MIN = 2
const GROUP_MAX = 10
const KINDS = ['photo', 'video', 'document', 'audio'] as const

export type SendableKind = (typeof KINDS)[number]

/** Media named in a call, read but neither cleaned nor fetched. */
export interface GivenMedia extends NamedFile {
  entities: MessageEntity[]
}

/** Reads the media of `sendVideo` and its like, in the parameter or the part named after the kind. */
export function readMedia(params: Params, kind: SendableKind): GivenMedia {
  const value = params.uploads.has(kind) ? `attach://${kind}` : textOf(params, kind)
  if (value === '') throw noFile(kind)
  return { kind, value, fields: params, entities: readEntities(params, 'caption_entities') }
}

/** Reads the `media` of `editMessageMedia`. */
export function readInputMedia(params: Params): GivenMedia {
  const media = jsonOf(params, 'media', "can't parse input media JSON object")
  return toGivenMedia(media, params)
}

/** Reads the `media` of `sendMediaGroup`: photos and videos together, audios and documents each among themselves. */
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
  const kind = KINDS.find((known) => known === media.type)
  if (kind === undefined) {
    throw badRequest(`can't parse InputMedia: type "${String(media.type)}" is unsupported`)
  }
  const { media: value } = media
  if (typeof value !== 'string' || value === '') throw badRequest('media not found')
  // Its fields follow the rules of parameters from here on.
  const fields: Params = { texts: toTexts(media), uploads }
  return { kind, value, fields, entities: readEntities(fields, 'caption_entities') }
}

/**
 * Cleans the caption and finds the file.
 *
 * @returns Takes the file in.
 * @throws {ApiError} For a caption or a file id that will not do.
 */
export function prepareMedia(given: GivenMedia, deps: MethodDeps): () => Promise<Content> {
  const { kind, fields, entities } = given
  const takeIn = readInputFile(given, deps)
  const caption = cleanText({ text: textOf(fields, 'caption'), entities })
  if (codePoints(caption.text) > CAPTION_CHARS_MAX) throw badRequest('message caption is too long')
  const title = textOf(fields, 'title')
  const performer = textOf(fields, 'performer')
  const facts = {
    ...(kind !== 'photo' && {
      width: intOf(fields, 'width', { min: 0, max: SIDE_MAX }),
      height: intOf(fields, 'height', { min: 0, max: SIDE_MAX }),
    }),
    duration: intOf(fields, 'duration', { min: 0, max: DURATION_S_MAX }),
    supportsStreaming: boolOf(fields, 'supports_streaming'),
    extra: { ...(title !== '' && { title }), ...(performer !== '' && { performer }) },
  }
  return async () => ({ ...caption, media: deps.files.show(kind, await takeIn(), facts) })
}
