/** Arguments of the commands of accounts. Readers throw one sentence for the operator. */
import { parseRub } from '../../contract/money.ts'
import { type Account, findAccount } from '../../service/ledger/accounts.ts'
import { USAGE_GROUPS, type UsageGroup } from '../../service/ledger/reports.ts'
import type { Sql } from '../../service/ledger/sql.ts'
import type { Readers } from '../program.ts'

const ID_MAX = 2 ** 31 - 1
/** As requests a minute a thousand a second, more than the row of one account can serve. */
const COUNT_MAX = 60_000
const NAME_CHARS_MAX = 200
const NOTE_CHARS_MAX = 500
const MODELS_MAX = 100

export const READERS: Readers = {
  ACCOUNT_ID: wholeNumber(ID_MAX),
  TASK_ID: wholeNumber(ID_MAX),
  N: wholeNumber(COUNT_MAX),
  NAME: line(NAME_CHARS_MAX),
  NOTE: line(NOTE_CHARS_MAX),
  RUB: reader('a decimal number of roubles, at most 6 places', toMicroRub),
  DAY: reader('a date such as 2026-11-22', toDay),
  GROUPS: reader(`one of ${USAGE_GROUPS.join(', ')}, or several with commas between`, toGroups),
  MODELS: reader('names with commas between, or all', toModels),
}

/** @param read Returns undefined for a text of another form. */
function reader<T>(words: string, read: (text: string) => T | undefined) {
  return (text: string, of: string): T => {
    const value = read(text)
    if (value === undefined) throw new Error(`${of} should be ${words}`)
    return value
  }
}

function wholeNumber(max: number) {
  return reader(`a whole number from 1 to ${max}`, (text) =>
    /^[1-9]\d{0,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined,
  )
}

function line(charsMax: number) {
  return reader(`a line of 1 to ${charsMax} characters`, (text) => {
    const isLine = text.trim() !== '' && text.length <= charsMax && !/\p{Cc}/u.test(text)
    return isLine ? text : undefined
  })
}

function toMicroRub(text: string): bigint | undefined {
  const microRub = parseRub(text)
  return microRub !== undefined && microRub >= 0n ? microRub : undefined
}

function toDay(text: string): string | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // JavaScript reads the 31st of February as the 3rd of March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? text : undefined
}

function toModels(text: string): string[] | undefined {
  const models = [...new Set(text.split(',').map((model) => model.trim()))]
  const areNames = models.every((model) => model !== '' && model.length <= NAME_CHARS_MAX)
  return areNames && models.length <= MODELS_MAX ? models : undefined
}

function toGroups(text: string): UsageGroup[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  const groups = names.flatMap((name) => USAGE_GROUPS.filter((group) => group === name))
  return new Set(groups).size === names.length ? groups : undefined
}

export async function requireAccount(sql: Sql, accountId: number): Promise<Account> {
  return (await findAccount(sql, accountId)) ?? noAccount(accountId)
}

export function noAccount(accountId: number): never {
  throw new Error(`There is no account ${accountId}`)
}

export function refuseClosed(accountId: number): never {
  throw new Error(`Account ${accountId} is closed for good: create another account`)
}
