import type { Command } from 'commander'
import {
  type KeyTerms,
  SPEND_PERIODS,
  type SpendPeriod,
} from '../../service/ledger/keys/key-terms.ts'
import { endOfDay } from '../../service/ledger/reports/days.ts'
import type { Sql } from '../../service/ledger/sql.ts'
import { readDay, readLine, readRoubles } from './arguments.ts'

/** A thousand a second, which is more than one account's row bears. */
const RATE_MAX = 60_000
const NAME_CHARS_MAX = 200
const MODELS_MAX = 100
const MODEL_CHARS_MAX = 200

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/

/** The options of a key as they were typed: `never`, `none` and `all` take a term away. */
export interface KeyTermsOptions {
  name?: string
  expires?: Expiry | 'never'
  spendLimit?: bigint | 'none'
  spendPeriod?: SpendPeriod['unit'] | 'none'
  rate?: number | 'none'
  models?: string[] | 'all'
}

type Expiry = { day: string } | { at: Date }

/** Adds the options that set what a key may do to a command. */
export function addKeyTermsOptions(command: Command): Command {
  return command
    .option('--name <NAME>', 'what it is for, or whose it is', readKeyName)
    .option(
      '--expires <WHEN>',
      'its last day, such as 2027-01-31, in TIME_ZONE; or an instant, 2027-01-31T12:00:00Z; or never',
      readExpiry,
    )
    .option(
      '--spend-limit <RUB>',
      'what it may spend, in all or in each period; or none',
      readLimit,
    )
    .option(
      '--spend-period <PERIOD>',
      'when the limit begins again: each day or month, in TIME_ZONE; or none. The first begins at once',
      readPeriod,
    )
    .option(
      '--rate <N>',
      'how many chats a minute it may ask for, beside what its account may; or none',
      readRate,
    )
    .option(
      '--models <MODELS>',
      'all that it may use, with commas between, such as alpha-large,vidgen; or all',
      readModels,
    )
}

/**
 * Turns a key's options into terms: those that were given, and no others.
 *
 * @throws {Error} One sentence for the operator, if the key would have expired already.
 */
export async function toKeyTerms(
  sql: Sql,
  { name, expires, spendLimit, spendPeriod, rate, models }: KeyTermsOptions,
  timeZone: string,
): Promise<Partial<KeyTerms>> {
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && {
      expiresAt: expires === 'never' ? null : await resolve(sql, expires, timeZone),
    }),
    ...(spendLimit !== undefined && {
      spendLimitMicroRub: spendLimit === 'none' ? null : spendLimit,
    }),
    ...(spendPeriod !== undefined && {
      spendPeriod: spendPeriod === 'none' ? null : { unit: spendPeriod, timeZone },
    }),
    ...(rate !== undefined && { requestsPerMinute: rate === 'none' ? null : rate }),
    ...(models !== undefined && { models: models === 'all' ? null : models }),
  }
}

async function resolve(sql: Sql, expires: Expiry, timeZone: string): Promise<Date> {
  const at = 'at' in expires ? expires.at : await endOfDay(sql, expires.day, timeZone)
  if (at.getTime() > Date.now()) return at
  throw new Error('--expires should be to come: revoke-key closes a key at once')
}

function readKeyName(text: string): string {
  return readLine(text, { of: '--name', charsMax: NAME_CHARS_MAX })
}

function readExpiry(text: string): Expiry | 'never' {
  if (text === 'never') return text
  const at = INSTANT.test(text) ? new Date(text) : undefined
  if (at === undefined) return { day: readDay(text) }
  if (!Number.isNaN(at.getTime())) return { at }
  throw new Error('--expires should be a day such as 2027-01-31, an instant of it, or never')
}

function readLimit(text: string): bigint | 'none' {
  return text === 'none' ? text : readRoubles(text)
}

function readPeriod(text: string): SpendPeriod['unit'] | 'none' {
  const unit = SPEND_PERIODS.find((period) => period === text)
  if (unit !== undefined) return unit
  if (text === 'none') return text
  throw new Error('--spend-period should be day, month, or none')
}

function readRate(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= RATE_MAX) return Number(text)
  throw new Error(`--rate should be a whole number from 1 to ${RATE_MAX}, or none`)
}

function readModels(text: string): string[] | 'all' {
  if (text === 'all') return text
  const models = new Set(text.split(',').map((model) => model.trim()))
  const areNames = [...models].every((model) => model !== '' && model.length <= MODEL_CHARS_MAX)
  if (areNames && models.size <= MODELS_MAX) return [...models]
  throw new Error(
    '--models should be names with commas between, such as alpha-large,vidgen, or all',
  )
}
