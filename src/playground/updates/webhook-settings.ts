import ipaddr from 'ipaddr.js'
import { badRequest } from '../wire/envelope.ts'

const PORTS = ['', '80', '88', '443', '8443']
const SECRET_CHARS_MAX = 256
const CERTIFICATE_BYTES_MAX = 3 * 1024 * 1024

/** The address and manner of delivery, as `setWebhook` gives them. */
export interface WebhookSettings {
  /** The URL as it was given. */
  url: string
  /** Empty if none is sent. */
  secretToken: string
  maxConnections: number
  /** The server's address instead of the one its name stands for; empty if the name decides. */
  ipAddress: string
  /** PEM of the one certificate that is trusted; empty for those that everybody trusts. */
  certificate: string
}

/** Telegram prefers https where the address does not say. */
export function parseWebhookUrl(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined
}

/**
 * The address that updates go to, as far as it is known without asking for a name.
 *
 * @returns `<unknown>` in Telegram's words.
 */
export function ipAddressOf({ url, ipAddress }: WebhookSettings): string {
  const { hostname = '' } = parseWebhookUrl(url) ?? {}
  if (ipAddress !== '') return ipAddress
  if (hostname === 'localhost') return '127.0.0.1'
  const literal = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(literal) ? literal : '<unknown>'
}

/**
 * Checks a new webhook as Telegram does, in its order.
 *
 * @param reach `local` goes anywhere, as a server of one's own does.
 * @throws {ApiError} 400.
 */
export function checkWebhook(settings: WebhookSettings, reach: 'local' | 'cloud'): void {
  const url = parseWebhookUrl(settings.url)
  if (url === undefined) throw badRequest('invalid webhook URL specified')
  const { secretToken, certificate } = settings
  if (secretToken.length > SECRET_CHARS_MAX) throw badRequest('secret token is too long')
  if (!/^[A-Za-z0-9_-]*$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters')
  }
  const size = Buffer.byteLength(certificate)
  if (size > CERTIFICATE_BYTES_MAX) {
    throw badRequest(`certificate size is too big (${size} bytes)`)
  }
  if (reach === 'cloud') checkPublic(url)
  checkAddress(settings, reach)
}

function checkPublic({ protocol, port }: URL): void {
  if (protocol !== 'https:') throw bad('An HTTPS URL must be provided for webhook')
  if (!PORTS.includes(port)) {
    throw bad('Webhook can be set up only on ports 80, 88, 443 or 8443')
  }
}

function checkAddress(settings: WebhookSettings, reach: 'local' | 'cloud'): void {
  const address = ipAddressOf(settings)
  if (!ipaddr.isValid(address)) {
    if (settings.ipAddress !== '') throw bad('Invalid IP address specified')
    return
  }
  if (reach === 'local') return
  if (ipaddr.parse(address).kind() === 'ipv6') throw bad('IPv6-only addresses are not allowed')
  if (ipaddr.parse(address).range() !== 'unicast') throw bad(`IP address ${address} is reserved`)
}

function bad(why: string) {
  return badRequest(`bad webhook: ${why}`)
}
