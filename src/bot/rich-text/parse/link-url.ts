import { isPublicUrl } from '../../../platform/http/url-guard.ts'

const URL_CHARS_MAX = 2048
const WEB = new Set(['http:', 'https:'])
const ADDRESS = new Set(['mailto:', 'tel:'])
const UNSAFE = /[\p{Cc}\s<>()\\"`|*$[\]^{}]/gu

/**
 * Checks whether a link is shown as one: a web page with a full address, an e-mail address, a number. Telegram
 * takes these. One that leads into the reader's own machine or network is not the model's to offer.
 */
export function isAcceptedUrl(url: string): boolean {
  const written = writeUrl(url)
  if (url.length > URL_CHARS_MAX || !URL.canParse(url) || !URL.canParse(written)) return false
  const { protocol, origin, pathname } = new URL(url)
  if (WEB.has(protocol)) return url.toLowerCase().startsWith(`${protocol}//`) && isPublicUrl(origin)
  if (!ADDRESS.has(protocol)) return false
  return protocol === 'tel:' ? isPhoneNumber(pathname) : isEmailAddress(pathname)
}

function isPhoneNumber(number: string): boolean {
  return /^\+?[\d() -]{3,20}$/.test(number)
}

function isEmailAddress(address: string): boolean {
  return /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(address)
}

/** Writes a URL as the destination of a link: nothing in it can end the link or open a construct. */
export function writeUrl(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll(UNSAFE, toPercent)
}

/** Writes a character by its code, as `encodeURIComponent()` does not for some of them. */
function toPercent(character: string): string {
  if (!'()*'.includes(character)) return encodeURIComponent(character)
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
