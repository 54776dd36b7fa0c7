export class PageRefusal extends Error {
  override readonly name: string = 'PageRefusal'
  readonly statusCode: number
  readonly detail: string

  constructor(statusCode: number, detail: string) {
    super(`Refused with ${statusCode}`)
    this.statusCode = statusCode
    this.detail = detail
  }
}

/** Returns the headers of every answer of a page's server. Only that server may provide scripts, styles and data. */
export function pageHeaders(directives: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...directives,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}
