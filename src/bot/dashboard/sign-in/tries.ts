import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../../time/clock.ts'

/** Of one address. Nobody guesses 32 bytes; this keeps who tries from being a load. */
const FAILURES_MAX = 10
const WINDOW_MS = 60_000
/** Addresses that are told apart; the one heard of first is forgotten first. */
const ADDRESSES_MAX = 10_000

/** Counts failed tries to sign in, by the address that they come from. Each process counts its own. */
export function createTries(clock: Pick<Clock, 'now'>) {
  const failedAtMs = new Map<string, number[]>()
  return { waitMsOf, noteFailure }

  /** How long an address has to wait before its next try; 0 if it may try now. */
  function waitMsOf(address: string): number {
    const recent = recentOf(address)
    const [first = 0] = recent
    return recent.length < FAILURES_MAX ? 0 : first + WINDOW_MS - clock.now()
  }

  function noteFailure(address: string): void {
    const recent = recentOf(address)
    failedAtMs.delete(address)
    failedAtMs.set(address, [...recent, clock.now()])
    const [oldest] = failedAtMs.keys()
    if (failedAtMs.size > ADDRESSES_MAX && oldest !== undefined) failedAtMs.delete(oldest)
  }

  function recentOf(address: string): number[] {
    const since = clock.now() - WINDOW_MS
    return (failedAtMs.get(address) ?? []).filter((ms) => ms > since)
  }
}

export type Tries = ReturnType<typeof createTries>

/**
 * Where a request comes from. A peer in a private network is taken for the operator's proxy, and the last
 * address that it says it had the request from for the client: otherwise a stranger's tries would lock out
 * everybody who comes by the same proxy.
 */
export function clientAddressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  if (forwarded === undefined || !ipaddr.isValid(forwarded)) return ip
  return ipaddr.process(ip).range() === 'unicast' ? ip : forwarded
}
