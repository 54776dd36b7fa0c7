/** Money is a bigint of micro-roubles everywhere except on the wire and on a screen, never a float in between. */
import { type Static, Type } from 'typebox'
import { nullable } from './chat.ts'

const MICRO_RUB_PER_RUB = 1_000_000n

const DECIMAL_ROUBLES = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/

/** Reads a decimal of roubles with at most six digits after the point, exactly; undefined for other texts. */
export function parseRub(text: string): bigint | undefined {
  const match = DECIMAL_ROUBLES.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '0', fraction = ''] = match
  const microRub = BigInt(whole) * MICRO_RUB_PER_RUB + BigInt(fraction.padEnd(6, '0'))
  return sign === '-' ? -microRub : microRub
}

/** Writes micro-roubles as a decimal without trailing zeros: `1500000n` is `"1.5"`. */
export function formatRub(microRub: bigint): string {
  const absolute = microRub < 0n ? -microRub : microRub
  const whole = absolute / MICRO_RUB_PER_RUB
  const fraction = (absolute % MICRO_RUB_PER_RUB).toString().padStart(6, '0').replace(/0+$/, '')
  return `${microRub < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns the wire's roubles: the nearest double, exact to a micro-rouble up to 4 billion roubles. */
export function toWireRub(microRub: bigint): number {
  return Number(formatRub(microRub))
}

export function fromWireRub(rub: number): bigint {
  return BigInt(Math.round(rub * 1e6))
}

export interface CsvDialect {
  separator: ',' | ';'
  decimalPoint: '.' | ','
}

export const PLAIN_CSV: CsvDialect = { separator: ',', decimalPoint: '.' }

/** A number, which a spreadsheet may calculate with, or a text, which it may not. */
export type CsvCell = number | bigint | boolean | string | { microRub: bigint } | null

/** Writes one line of a CSV file, with its end. Money is in roubles, null an empty cell. */
export function writeCsvLine(cells: readonly CsvCell[], dialect: CsvDialect): string {
  return `${cells.map((cell) => toCell(cell, dialect)).join(dialect.separator)}\r\n`
}

function toCell(cell: CsvCell, { decimalPoint }: CsvDialect): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return formatRub(cell.microRub).replace('.', decimalPoint)
  if (typeof cell !== 'string') return String(cell)
  // A spreadsheet would run a text that begins like a formula.
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const Balance = Type.Object({ balance_rub: Type.Number() })

/** Answer of `GET /prices`: decimal roubles by label. A label that is missing is not offered. */
export const Prices = Type.Object({ prices_rub: Type.Record(Type.String(), Type.Number()) })
export type Prices = Static<typeof Prices>

/** Answer of `GET /key`: what an API key may do and has spent; null for a limit that it does not have. */
export const KeyFacts = Type.Object({
  key_id: Type.String({ description: 'The part of the key that is not secret.' }),
  name: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  models: nullable(Type.Array(Type.String()), 'The only models that it may use.'),
  spend_limit_rub: nullable(Type.Number()),
  spent_rub: Type.Number(),
  left_rub: nullable(Type.Number(), 'Rest of the limit; the balance may be less.'),
  requests_per_minute: nullable(Type.Integer(), "The key's own rate limit for chats."),
})
export type KeyFacts = Static<typeof KeyFacts>
