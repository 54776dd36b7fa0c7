/** Telegram's clients in the browser; each shows a Mini App in a frame. Its other apps have no frame. */
const FRAMED_BY = [
  'https://web.telegram.org',
  'https://weba.telegram.org',
  'https://webk.telegram.org',
  'https://webz.telegram.org',
]

const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
]

const YEAR_S = 365 * 24 * 3600

/**
 * What every answer below `/admin` carries, be it a file, data or a refusal.
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
    'content-security-policy': [...DIRECTIVES, ancestors].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    // Without subdomains: they may be somebody else's.
    ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  }
}
