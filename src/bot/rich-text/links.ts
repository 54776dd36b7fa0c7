import { isPublicUrl } from '../../platform/http/url-guard.ts'

const URL_CHARS_MAX = 2048
const WEB = new Set(['http:', 'https:'])
const UNSAFE = /[\p{Cc}\s<>()\\"`|*$[\]^{}]/gu

/**
 * Checks for a full web address, an e-mail address or a number, which Telegram accepts.
 *
 * Rejects links into the reader's own machine or network: a model must not offer them.
 */
export function isAcceptedUrl(url: string): boolean {
  if (url.length > URL_CHARS_MAX || !URL.canParse(url) || !URL.canParse(writeUrl(url))) return false
  const { protocol, origin, pathname } = new URL(url)
  if (WEB.has(protocol)) return url.toLowerCase().startsWith(`${protocol}//`) && isPublicUrl(origin)
  if (protocol === 'tel:') return /^\+?[\d() -]{3,20}$/.test(pathname)
  return protocol === 'mailto:' && /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(pathname)
}

/** Writes the destination of a link so that it cannot end the link or open a construct. */
export function writeUrl(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll(UNSAFE, toPercent)
}

function toPercent(character: string): string {
  if (!'()*'.includes(character)) return encodeURIComponent(character)
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
