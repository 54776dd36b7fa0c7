import { pageHeaders } from '../../../../platform/http/page.ts'

/** Telegram's clients in the browser; each shows a Mini App in a frame. Its other apps have no frame. */
const FRAMED_BY = [
  'https://web.telegram.org',
  'https://weba.telegram.org',
  'https://webk.telegram.org',
  'https://webz.telegram.org',
]

const YEAR_S = 365 * 24 * 3600

/**
 * Returns the headers of every answer below `/admin`.
 *
 * @param framedBy Origins that may show the page in a frame, besides those of Telegram.
 */
export function securityHeaders({
  isHttps,
  framedBy = [],
}: {
  isHttps: boolean
  framedBy?: readonly string[] | undefined
}): Record<string, string> {
  // There is no X-Frame-Options beside it: that one could not name Telegram, and this one overrules it.
  const ancestors = `frame-ancestors 'self' ${[...FRAMED_BY, ...framedBy].join(' ')}`
  return {
    ...pageHeaders({ directives: [ancestors] }),
    // Without subdomains: they may be somebody else's.
    ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  }
}
