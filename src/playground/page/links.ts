/** The schemes that a link may open: the web, a letter, a call. Never a script or the page's own data. */
const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:']

/** Returns where a link of a message may lead; undefined if it may not be opened, such as `tg:`. */
export function toSafeUrl(address: string): string | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)
  const url = URL.parse(hasScheme ? address : `http://${address}`)
  return url !== null && SCHEMES.includes(url.protocol) ? url.href : undefined
}

/** The Bot API version that Telegram's web client reports to Mini Apps. */
const VERSION = '9.6'

/**
 * Returns the address of a Mini App with Telegram's launch parameters after `#`.
 *
 * @throws {TypeError} If it is no address of the web: a script would run as this page.
 */
export function launchUrl(url: string, initData: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new TypeError('Cannot open Mini App: its address is not one of the web')
  }
  const pairs = new URLSearchParams({
    tgWebAppData: initData,
    tgWebAppVersion: VERSION,
    tgWebAppPlatform: 'weba',
    // Without colours a Mini App follows the system's, as the page does.
    tgWebAppThemeParams: '{}',
  })
  // Mini Apps do not decode a plus as a space.
  const parameters = String(pairs).replaceAll('+', '%20')
  const [address = '', fragment] = url.split(/#(.*)/s)
  if (fragment === undefined || fragment === '') return `${address}#${parameters}`
  return `${address}#${fragment}${/[?=]/.test(fragment) ? '&' : '?'}${parameters}`
}
