import type { LookupFunction } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { Agent } from 'undici'
import type { WebhookSettings } from './webhook-settings.ts'

/** Codes of connections that fail, as `getWebhookInfo` says them. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  EAI_AGAIN: 'Failed to resolve host: Temporary failure in name resolution',
  ENOTFOUND: 'Failed to resolve host: No address associated with hostname',
  UND_ERR_CONNECT_TIMEOUT: 'Connection timed out',
  UND_ERR_SOCKET: 'Connection closed',
}

/** The connections to a webhook: to the address that was given, trusting the certificate that was given. */
export function openConnections({ ipAddress, certificate }: WebhookSettings): Agent {
  return new Agent({
    connect: {
      ...(ipAddress !== '' && { lookup: lookupOf(ipAddress) }),
      ...(certificate !== '' && { ca: certificate, checkServerIdentity: checkIdentity }),
    },
  })
}

/** Says why a request had no answer, in Telegram's words. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const isUntrusted = /CERT|SIGNATURE|ISSUER|ALTNAME/.test(code)
  if (isUntrusted) return 'SSL error {error:0A000086:SSL routines::certificate verify failed}'
  return REASONS[code] ?? 'Connection closed'
}

function lookupOf(address: string): LookupFunction {
  const family = ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4
  return (_host, { all }, found) => {
    if (all) found(null, [{ address, family }])
    else found(null, address, family)
  }
}

/** A certificate that somebody made for an address has it as its name, which Node does not look at. */
const checkIdentity: typeof checkServerIdentity = (host, certificate) =>
  certificate.subject.CN === host ? undefined : checkServerIdentity(host, certificate)
