/**
 * Returns the headers of every answer of a page's server, be it a file, data or a refusal. Scripts, styles and data
 * come from that server alone.
 *
 * @param directives The rest of the policy: who may frame the page, and what it shows in frames of its own.
 */
export function pageHeaders({
  images = "'self'",
  directives,
}: {
  images?: string
  directives: readonly string[]
}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
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
