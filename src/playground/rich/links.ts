import type { RichText, RichTextDateTime } from 'grammy/types'
import { badRequest } from '../wire/envelope.ts'

/** Makes a link of a text. @throws {ApiError} For an address that Telegram would not open. */
export function toLink(text: RichText, address: string): RichText {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(address) ?? []
  if (address.startsWith('#') && address.length > 1) {
    return { type: 'anchor_link', text, anchor_name: address.slice(1) }
  }
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
    case 'tg':
      if (!URL.canParse(address)) throw badRequest('RICH_MESSAGE_URL_INVALID')
      return { type: 'url', text, url: address }
    case 'mailto': {
      const [email_address = ''] = address.slice('mailto:'.length).split('?')
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email_address)) {
        throw badRequest('RICH_MESSAGE_EMAIL_INVALID')
      }
      return { type: 'email_address', text, email_address }
    }
    case 'tel': {
      const phone_number = address.slice('tel:'.length)
      if (!/^\+?[\d\s()-]{3,}$/.test(phone_number)) throw badRequest('RICH_MESSAGE_PHONE_INVALID')
      return { type: 'phone_number', text, phone_number }
    }
    default:
      throw badRequest('RICH_MESSAGE_URL_INVALID')
  }
}

/**
 * Makes an emoji or a date of the image that stands for one.
 *
 * @throws {ApiError} For real media: the playground has none that a rich message could show.
 */
export function toImage(alt: string, address: string): RichText {
  const url = URL.parse(address)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isWeb) throw badRequest('RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND')
  const kind = url?.protocol === 'tg:' ? url.host : ''
  const facts = Object.fromEntries(url?.searchParams ?? [])
  if (kind === 'emoji') return toEmoji(alt, facts.id)
  if (kind === 'time') return toTime(alt, facts.unix, facts.format)
  throw badRequest('RICH_MESSAGE_URL_INVALID')
}

export function toEmoji(alternative_text: string, id = ''): RichText {
  if (!/^\d+$/.test(id) || alternative_text === '') throw badRequest('RICH_MESSAGE_EMOJI_INVALID')
  return { type: 'custom_emoji', custom_emoji_id: id, alternative_text }
}

export function toTime(text: RichText, unix = '', format = ''): RichText {
  if (!/^\d+$/.test(unix) || !/^(r|w?[dD]?[tT]?)$/.test(format)) {
    throw badRequest('RICH_MESSAGE_DATE_INVALID')
  }
  // The expression lets through exactly what the type lists.
  const date_time_format = format as RichTextDateTime['date_time_format']
  return { type: 'date_time', text, unix_time: Number(unix), date_time_format }
}
