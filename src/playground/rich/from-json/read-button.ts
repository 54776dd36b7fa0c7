import type { RichMessageButton, RichText } from 'grammy/types'
import { type OpenedPages, readInlineButton } from '../../content/markup.ts'
import { badRequest } from '../../wire/envelope.ts'
import { visibleText } from '../rich-text.ts'
import { openFields } from './fields.ts'

const DATA_BYTES_MAX = 64

/** Reads a button of a rich message: as one of an inline keyboard, with a text that may hold emojis and dates. */
export function readButton(
  value: unknown,
  readText: (value: unknown) => RichText,
  opens: OpenedPages,
): RichMessageButton {
  const fields = openFields(value, 'RichMessageButton')
  const text = readText(fields.any('text'))
  if (!isPlain(text)) throw fields.complain('unsupported formatting in the text')
  const isLink = fields.value.style === 'link'
  const { style: _, ...unstyled } = fields.value
  const plain = { ...(isLink ? unstyled : fields.value), text: visibleText(text) }
  const button = readInlineButton(plain, opens)
  if ('callback_data' in button && Buffer.byteLength(button.callback_data) > DATA_BYTES_MAX) {
    throw badRequest('BUTTON_DATA_INVALID')
  }
  if (isLink && !('callback_data' in button)) {
    throw fields.complain('style "link" is for callback buttons alone')
  }
  // The same actions as in a keyboard; only the text and one style are wider.
  return { ...button, text, ...(isLink && { style: 'link' }) } as unknown as RichMessageButton
}

function isPlain(text: RichText): boolean {
  if (typeof text === 'string') return true
  if (Array.isArray(text)) return text.every(isPlain)
  return text.type === 'custom_emoji' || (text.type === 'date_time' && isPlain(text.text))
}
