import { isJsonObject } from '../../../platform/http/json.ts'
import { addFound } from '../../content/entities.ts'
import { CAPTION, readFormatted } from '../../content/formatted-text.ts'
import { CAPTION_CHARS_MAX, cleanText, codePoints, type EntityText } from '../../content/text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, intOf, jsonOf, type Params, textOf, toTexts } from '../../wire/params.ts'
import type { FileKind, MediaFacts } from '../../world/files.ts'
import type { Content } from '../../world/message.ts'
import type { MethodDeps } from '../method.ts'
import { type NamedFile, noFile, readInputFile } from './input-file.ts'

const SIDE_MAX = 10_000
const DURATION_S_MAX = 86_400
/** The documentation's bounds of an album; the server would send a single one as a message. */
const GROUP_MIN = 2
const GROUP_MAX = 10
/** The kinds that an edit can put in, and an album hold. */
const INPUT_KINDS = ['photo', 'video', 'animation', 'document', 'audio'] as const

export type SendableKind = FileKind

/** Media named in a call, read but neither cleaned nor fetched. */
export interface GivenMedia extends NamedFile {
  caption: EntityText
}

/** Reads the media of `sendVideo` and its like, in the parameter or the part named after the kind. */
export function readMedia(params: Params, kind: SendableKind): GivenMedia {
  const value = params.uploads.has(kind) ? `attach://${kind}` : textOf(params, kind)
  if (value === '') throw noFile(kind)
  return { kind, value, fields: params, caption: readCaption(params, kind) }
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
  if (group.some(({ kind }) => kind === 'animation')) {
    throw badRequest('can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup')
  }
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
  const kind = INPUT_KINDS.find((known) => known === media.type)
  if (kind === undefined) {
    throw badRequest(`can't parse InputMedia: type "${String(media.type)}" is unsupported`)
  }
  const { media: value } = media
  if (typeof value !== 'string' || value === '') throw badRequest('media not found')
  // Its fields follow the rules of parameters from here on.
  const fields: Params = { texts: toTexts(media), uploads }
  return { kind, value, fields, caption: readCaption(fields, kind) }
}

function readCaption(params: Params, kind: FileKind): EntityText {
  const hasNone = kind === 'sticker' || kind === 'video_note'
  return hasNone ? { text: '', entities: [] } : readFormatted(params, CAPTION)
}

/** @throws {ApiError} For entities that do not fit, and for more than 1,024 characters. */
export function cleanCaption(given: EntityText): EntityText {
  const caption = addFound(cleanText(given))
  if (codePoints(caption.text) > CAPTION_CHARS_MAX) throw badRequest('message caption is too long')
  return caption
}

/**
 * Cleans the caption and finds the file.
 *
 * @returns Takes the file in.
 * @throws {ApiError} For a caption or a file id that will not do.
 */
export function prepareMedia(given: GivenMedia, deps: MethodDeps): () => Promise<Content> {
  const { kind, fields } = given
  const takeIn = readInputFile(given, deps)
  const caption = cleanCaption(given.caption)
  const facts = readFacts(kind, fields)
  const looks = {
    ...(boolOf(fields, 'has_spoiler') && { hasSpoiler: true }),
    ...(boolOf(fields, 'show_caption_above_media') && { isCaptionAbove: true }),
  }
  return async () => ({
    ...caption,
    ...looks,
    media: deps.files.show(kind, await takeIn(), facts),
  })
}

function readFacts(kind: FileKind, fields: Params): Partial<MediaFacts> {
  const side = (name: string) => intOf(fields, name, { min: 0, max: SIDE_MAX })
  const isPicture = kind === 'photo' || kind === 'sticker'
  const length = kind === 'video_note' ? side('length') : undefined
  const words = (['title', 'performer', 'emoji'] as const)
    .map((name) => [name, textOf(fields, name)] as const)
    .filter(([, text]) => text !== '')
  return {
    // The size of a picture is read from it.
    ...(!isPicture && { width: length ?? side('width'), height: length ?? side('height') }),
    duration: intOf(fields, 'duration', { min: 0, max: DURATION_S_MAX }),
    supportsStreaming: boolOf(fields, 'supports_streaming'),
    extra: Object.fromEntries(words),
  }
}
