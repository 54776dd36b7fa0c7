/** Telegram's clients in the browser; each shows a Mini App in a frame. Its other apps have no frame. */
const FRAMED_BY = [
  'https://web.telegram.org',
  'https://weba.telegram.org',
  'https://webk.telegram.org',
  'https://webz.telegram.org',
]

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  // There is no X-Frame-Options beside it: that one could not name Telegram, and this one overrules it.
  `frame-ancestors 'self' ${FRAMED_BY.join(' ')}`,
].join('; ')

const YEAR_S = 365 * 24 * 3600

/** What every answer below `/admin` carries, be it a file, data or a refusal. */
export function securityHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
  return {
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    // Without subdomains: they may be somebody else's.
    ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  }
}
