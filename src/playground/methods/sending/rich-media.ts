import { isJsonObject } from '../../../platform/http/json.ts'
import type { MediaType, ReadMedia } from '../../rich/from-json/read-media.ts'
import { type MakeRichContent, readRichMessage } from '../../rich/read-rich-message.ts'
import { ApiError, badRequest } from '../../wire/envelope.ts'
import { type Params, toTexts } from '../../wire/params.ts'
import type { FileKind } from '../../world/files.ts'
import { mediaOf } from '../../world/to-message.ts'
import type { MethodDeps } from '../method.ts'
import { prepareMedia } from './input-media.ts'

/** The complaint about a file that the server could not fetch. */
const UNREACHED =
  /^Bad Request: (Failed to get HTTP URL content|Wrong type of the web page content)$/i

/** Reads the `rich_message` of a call, with the files of its blocks. */
export function prepareRich(
  params: Params,
  deps: MethodDeps,
  { isDraft = false }: { isDraft?: boolean } = {},
): MakeRichContent {
  const { unclosedHtml, world } = deps
  const readMedia = mediaReader(params, deps, isDraft)
  return readRichMessage(params, { unclosedHtml, isDraft, opens: world, readMedia })
}

/** A draft shows files that Telegram has, and takes in no new ones. */
function mediaReader({ uploads }: Params, deps: MethodDeps, isDraft: boolean): ReadMedia {
  return (type, media) => {
    if (!isJsonObject(media)) throw badRequest("can't parse InputMedia: expected an Object")
    if (media.type !== type) {
      throw badRequest(`can't parse InputMedia: type "${String(media.type)}" is unsupported`)
    }
    const { media: value } = media
    if (typeof value !== 'string' || value === '') throw badRequest('media not found')
    const fields = { texts: toTexts(media), uploads }
    const given = { kind: kindOf(type), value, fields, caption: { text: '', entities: [] } }
    const isNew = value.startsWith('attach://') || value.includes('.')
    const takeIn = prepareMedia(given, deps)
    return async () => {
      if (isDraft && isNew) throw badRequest("new files can't be uploaded using the method")
      const content = await takeIn().catch((error) => throwOfRich(error, type))
      if (content.media === undefined) throw new TypeError('Cannot show block: it has no file')
      const shown = mediaOf(content.media)
      const file = type === 'voice_note' ? shown.voice : shown[type]
      return { [type]: file, ...(content.hasSpoiler && { has_spoiler: true }) }
    }
  }
}

function kindOf(type: MediaType): FileKind {
  return type === 'voice_note' ? 'voice' : type
}

/** @throws The refusal of a picture's address in the words of rich messages; of other kinds they are unknown. */
function throwOfRich(error: unknown, type: MediaType): never {
  const isUnreached = error instanceof ApiError && UNREACHED.test(error.message)
  throw isUnreached && type === 'photo' ? badRequest('RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND') : error
}
