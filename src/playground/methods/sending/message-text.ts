import type { LinkPreviewOptions } from 'grammy/types'
import { isJsonObject } from '../../../platform/http/json.ts'
import { addFound } from '../../content/entities.ts'
import { readFormatted, TEXT } from '../../content/formatted-text.ts'
import { cleanText, type EntityText } from '../../content/text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, jsonOf, type Params, textOf } from '../../wire/params.ts'

/** The text of a call, read but not yet cleaned. */
export interface GivenText extends EntityText {
  linkPreview: LinkPreviewOptions | undefined
}

export function readMessageText(params: Params): GivenText {
  const linkPreview = readLinkPreview(params)
  if (textOf(params, 'text') === '') throw badRequest('message text is empty')
  return { ...readFormatted(params, TEXT), linkPreview }
}

/** Not bounded: a text that is too long is refused in other words when sent than when edited. */
export function cleanNonEmpty(given: EntityText): EntityText {
  const formatted = cleanText(given)
  if (formatted.text === '') throw badRequest('text must be non-empty')
  return addFound(formatted)
}

function readLinkPreview(params: Params): LinkPreviewOptions | undefined {
  const complaint = "can't parse link preview options JSON object"
  const value = jsonOf(params, 'link_preview_options', complaint)
  if (value === undefined) {
    return boolOf(params, 'disable_web_page_preview') ? { is_disabled: true } : undefined
  }
  if (!isJsonObject(value)) throw badRequest('object expected as link preview options')
  const { is_disabled, url } = value
  const options: LinkPreviewOptions = {}
  if (is_disabled === true) options.is_disabled = true
  if (typeof url === 'string') options.url = url
  return options
}
