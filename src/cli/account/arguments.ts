/** Arguments of the commands of accounts. Readers throw one sentence for the operator. */
import { parseRub } from '../../contract/money.ts'
import { type Account, findAccount } from '../../service/ledger/accounts.ts'
import { SPEND_PERIODS } from '../../service/ledger/keys/key-terms.ts'
import type { Sql } from '../../service/ledger/sql.ts'

const ID_MAX = 2 ** 31 - 1
/** As requests a minute a thousand a second, more than the row of one account can serve. */
const COUNT_MAX = 60_000
const NAME_CHARS_MAX = 200
const NOTE_CHARS_MAX = 500
const MODELS_MAX = 100
const ENTRY_ID_MAX = 2n ** 63n - 1n
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/

/** Readers of arguments by their placeholders. */
export const READERS = {
  ACCOUNT_ID: (text: string, of: string) => readNumber(text, of, ID_MAX),
  TASK_ID: (text: string, of: string) => readNumber(text, of, ID_MAX),
  N: (text: string, of: string) => readNumber(text, of, COUNT_MAX),
  NAME: (text: string, of: string) => readLine(text, of, NAME_CHARS_MAX),
  NOTE: (text: string, of: string) => readLine(text, of, NOTE_CHARS_MAX),
  RUB: readRoubles,
  DAY: readDay,
  ENTRY: readEntryId,
  WHEN: readExpiry,
  PERIOD: readPeriod,
  MODELS: readModels,
}

function readNumber(text: string, of: string, max: number): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw new Error(`${of} should be a whole number from 1 to ${max}`)
}

function readLine(text: string, of: string, charsMax: number): string {
  if (text.trim() !== '' && text.length <= charsMax && !/\p{Cc}/u.test(text)) return text
  throw new Error(`${of} should be a line of 1 to ${charsMax} characters`)
}

/** @returns Micro-roubles, >= 0. */
function readRoubles(text: string): bigint {
  const microRub = parseRub(text)
  if (microRub !== undefined && microRub >= 0n) return microRub
  throw new Error('RUB should be a decimal number of roubles, at most 6 places')
}

/** @returns A day of the calendar, `2026-11-22`. */
function readDay(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // JavaScript reads the 31st of February as the 3rd of March.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new Error('DAY should be a date such as 2026-11-22')
}

function readEntryId(text: string): bigint {
  if (/^\d{1,19}$/.test(text) && BigInt(text) <= ENTRY_ID_MAX) return BigInt(text)
  throw new Error('--before should be the number of an entry, as history prints it')
}

function readExpiry(text: string): string | Date {
  if (!INSTANT.test(text)) return readDay(text)
  const at = new Date(text)
  if (!Number.isNaN(at.getTime())) return at
  throw new Error('--expires should be a day such as 2027-01-31, an instant of it, or never')
}

function readPeriod(text: string) {
  const unit = SPEND_PERIODS.find((period) => period === text)
  if (unit !== undefined) return unit
  throw new Error('--spend-period should be day, month, or none')
}

function readModels(text: string): string[] {
  const models = [...new Set(text.split(',').map((model) => model.trim()))]
  const areNames = models.every((model) => model !== '' && model.length <= NAME_CHARS_MAX)
  if (areNames && models.length <= MODELS_MAX) return models
  throw new Error('--models should be names with commas between, or all')
}

/** @throws {Error} If there is no such account. */
export async function requireAccount(sql: Sql, accountId: number): Promise<Account> {
  return (await findAccount(sql, accountId)) ?? noAccount(accountId)
}

export function noAccount(accountId: number): never {
  throw new Error(`There is no account ${accountId}`)
}

export function refuseClosed(accountId: number): never {
  throw new Error(`Account ${accountId} is closed for good: create another account`)
}
