/** The schemes that a link may open: the web, a letter, a call. Never a script or the page's own data. */
const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:']

/**
 * Reads an address that came with a message.
 *
 * @returns What a link may lead to; undefined for an address that no link of a message opens, such as `tg:`.
 */
export function toSafeUrl(address: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)
  const url = URL.parse(hasScheme ? address : `http://${address}`)
  return url !== null && SCHEMES.includes(url.protocol) ? url.href : undefined
}
