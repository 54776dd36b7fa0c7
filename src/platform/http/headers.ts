/** An answer's headers by their names in small letters. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The value of a header; the first where it came several times. */
export function readHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Reads how long the other side asks to be left alone: its `Retry-After` in seconds, or as an HTTP date.
 *
 * A date is counted from the answer's own `Date`, so that a clock that is wrong does no harm.
 *
 * @returns Milliseconds to wait, ≥ 0; undefined if the header is missing or is neither.
 */
export function readRetryAfterMs(headers: HttpHeaders, now = new Date()): number | undefined {
  const text = readHeader(headers, 'retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse() finds a date in almost anything; HTTP dates begin with the day of the week.
  const until = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  return Math.max(0, until - (readDateMs(headers) ?? now.getTime()))
}

/** When the other side answered, by its own clock, in milliseconds since 1970; undefined if it does not say. */
export function readDateMs(headers: HttpHeaders): number | undefined {
  const ms = Date.parse(readHeader(headers, 'date') ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
