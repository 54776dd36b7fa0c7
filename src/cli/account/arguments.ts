/** Readers of arguments. Their errors are one sentence for the operator. */
import { parseRub } from '../../contract/money.ts'

const ACCOUNT_ID_MAX = 2 ** 31 - 1
const NAME_CHARS_MAX = 200

/** The help's words about an ACCOUNT_ID. */
export const ACCOUNT_ID = 'the number that create and list print'

export function readAccountId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= ACCOUNT_ID_MAX) return Number(text)
  throw new Error(`ACCOUNT_ID should be ${ACCOUNT_ID}`)
}

/** @returns Micro-roubles, >= 0. */
export function readRoubles(text: string): bigint {
  const microRub = parseRub(text)
  if (microRub !== undefined && microRub >= 0n) return microRub
  throw new Error('RUB should be a decimal number of roubles, at most 6 places')
}

/** @returns Micro-roubles, > 0. */
export function readSomeRoubles(text: string): bigint {
  const microRub = readRoubles(text)
  if (microRub > 0n) return microRub
  throw new Error('RUB should be more than 0')
}

export function readName(text: string): string {
  return readLine(text, { of: 'NAME', charsMax: NAME_CHARS_MAX })
}

/** @returns A text of one line that is not empty. */
export function readLine(text: string, { of, charsMax }: { of: string; charsMax: number }): string {
  const isLine = text.trim() !== '' && text.length <= charsMax && !/\p{Cc}/u.test(text)
  if (isLine) return text
  throw new Error(`${of} should be a line of 1 to ${charsMax} characters`)
}

/** @returns A day of the calendar, `2026-11-22`. */
export function readDay(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // JavaScript takes the 31st of February for the 3rd of March.
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  if (isDay) return text
  throw new Error('DAY should be a date such as 2026-11-22')
}

/** @throws {Error} If the last of the days that an operator named is before the first. */
export function refuseTurned({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  if (from !== undefined && to !== undefined && from > to) {
    throw new Error(`--from ${from} is later than --to ${to}`)
  }
}

export function noAccount(accountId: number): Error {
  return new Error(`There is no account ${accountId}`)
}

/** @returns The error of a command that needs an account that is not closed. */
export function isClosed(accountId: number): Error {
  return new Error(`Account ${accountId} is closed, which is for good`)
}
