import type { MessageEntity } from 'grammy/types'

/** The bounds of an entity, in UTF-16 units of the text without its markup. */
export interface Span {
  offset: number
  length: number
}

/**
 * Makes the entity of a link: a mention where it leads to a user.
 *
 * @returns Undefined for an address that Telegram does not link: the text stays without a link.
 */
export function toLinkEntity(span: Span, address: string): MessageEntity | undefined {
  const userId = Number(/^tg:\/\/user\?id=(\d+)/i.exec(address)?.[1])
  if (userId > 0) {
    return { type: 'text_mention', ...span, user: { id: userId, is_bot: false, first_name: '' } }
  }
  const url = checkAddress(address)
  return url === undefined ? undefined : { type: 'text_link', ...span, url }
}

/** Names without a dot, such as `localhost`, lead nowhere from where readers are. */
function checkAddress(address: string): string | undefined {
  if (/^(tg|ton|tonsite):/i.test(address)) return address
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `http://${address}`)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && /[.:]/.test(url.hostname)
  return isWeb ? url.href : undefined
}

/**
 * Makes the entity of a picture-like link: a custom emoji or a time.
 *
 * @returns Undefined where the address names neither.
 */
export function toSymbol(span: Span, address: string): MessageEntity | undefined {
  const { protocol, host, searchParams } = URL.parse(address) ?? {}
  if (protocol !== 'tg:') return undefined
  const emojiId = searchParams?.get('id') ?? ''
  if (host === 'emoji' && /^\d+$/.test(emojiId)) {
    return { type: 'custom_emoji', ...span, custom_emoji_id: emojiId }
  }
  const unix = searchParams?.get('unix') ?? ''
  if (host !== 'time' || !/^\d+$/.test(unix)) return undefined
  return toTimeEntity(span, unix, searchParams?.get('format') ?? '')
}

/** @param format As in `date_time_format`, which the server does not check. */
export function toTimeEntity(span: Span, unix: string, format: string): MessageEntity {
  const date_time_format = format as MessageEntity.DateTimeMessageEntity['date_time_format']
  return { type: 'date_time', ...span, unix_time: Number(unix), date_time_format }
}
