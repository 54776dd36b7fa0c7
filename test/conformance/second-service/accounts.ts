import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { Refused } from './refused.ts'

const MINUTE_MS = 60_000

/** Somebody who pays. Money is whole kopecks. */
export interface Account {
  apiKey: string
  /** Signs the account's callbacks, for ever. */
  secret: string
  kopecks: number
  /** When it was let in lately, by what it asked for. */
  visits: Map<string, number[]>
}

/** Opens an account. */
export function openAccount(apiKey: string, kopecks: number): Account {
  return { apiKey, secret: randomBytes(24).toString('base64url'), kopecks, visits: new Map() }
}

/** @throws {Refused} 402; nothing is taken. */
export function take(account: Account, kopecks: number): void {
  if (account.kopecks < kopecks) {
    throw new Refused(402, `Top up: ${toRoubles(kopecks)} are asked for, and you have less.`)
  }
  account.kopecks -= kopecks
}

/** Lets an account in so many times a minute, or in another span. @throws {Refused} 429. */
export function admit(
  { visits }: Account,
  door: string,
  { most, clock, spanMs = MINUTE_MS }: { most: number; clock: Clock; spanMs?: number },
): void {
  const now = clock.now()
  const lately = (visits.get(door) ?? []).filter((at) => now - at < spanMs)
  const [oldest = now] = lately
  if (lately.length >= most) {
    const seconds = Math.ceil((oldest + spanMs - now) / 1000)
    throw new Refused(429, 'Slow down, please.', Math.max(1, seconds))
  }
  visits.set(door, [...lately, now])
}

/** Writes kopecks as roubles: `12.34`. */
export function toRoubles(kopecks: number): string {
  return (kopecks / 100).toFixed(2)
}
