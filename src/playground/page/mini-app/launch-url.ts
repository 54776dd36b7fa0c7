/** The version of Mini Apps that the frame speaks; what it lacks of it, it says so when asked. */
const VERSION = '9.6'

/**
 * The address that a Mini App is opened at: its own, with Telegram's launch parameters after `#`.
 *
 * @param initData Empty for one that was opened by a button of a reply keyboard.
 */
export function launchUrl(
  url: string,
  { initData, themeParams }: { initData: string; themeParams: Record<string, string> },
): string {
  const pairs = new URLSearchParams({
    ...(initData !== '' && { tgWebAppData: initData }),
    tgWebAppVersion: VERSION,
    tgWebAppPlatform: 'weba',
    tgWebAppThemeParams: JSON.stringify(themeParams),
  })
  // Readers of this part take a plus for itself.
  const parameters = String(pairs).replaceAll('+', '%20')
  const [address = '', fragment] = url.split(/#(.*)/s)
  if (fragment === undefined || fragment === '') return `${address}#${parameters}`
  return `${address}#${fragment}${/[?=]/.test(fragment) ? '&' : '?'}${parameters}`
}

/** Checks whether the page may show it in a frame: its policy lets in this machine only. */
export function isFramed(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(parsed.hostname)
}
