/**
 * Reads variables of the environment.
 * In: the text of one variable. Out: a value, or sentences about what it should be.
 * Invariant: the text itself, which may be a secret, is in no sentence.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { BotRetention } from '../../bot/housekeeping.ts'
import { SEND_LIMITS, type SendLimits } from '../../bot/telegram/pacing/send-limits.ts'
import { parseRub } from '../../contract/money.ts'
import { DATABASE_URL_WORDS, parseDatabaseUrl } from '../../platform/database/database-refused.ts'
import { createCheck, isHttpUrl } from '../../platform/guard.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { parseAllowedPair, parseNetwork } from '../../platform/http/outside-url.ts'
import { findRepeatedNames, ONCE } from '../../platform/http/repeated-names.ts'
import { partial, whole as wholeOf } from '../../service/config/fields.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Parse<T> = (text: string) => { value: T } | { problems: readonly string[] }

/**
 * Makes what reads one variable after the other.
 *
 * @param problems Gets what is wrong with any of them.
 * @param known Gets the name of each.
 */
export function reader(env: Environment, problems: string[], known = new Set<string>()) {
  return <T>(name: string, parse: Parse<T>): T | undefined => {
    known.add(name)
    if (!isSet(env, name)) return undefined
    const parsed = parse(env[name]?.trim() ?? '')
    if ('value' in parsed) return parsed.value
    problems.push(...parsed.problems.map((problem) => `${name}: ${problem}`))
    return undefined
  }
}

/** An empty variable counts as unset. */
export function isSet(env: Environment, name: string): boolean {
  return (env[name]?.trim() ?? '') !== ''
}

/** @param read Returns undefined for a text that is none. */
export function shouldBe<T>(what: string, read: (text: string) => T | undefined): Parse<T> {
  return (text) => {
    const value = read(text)
    return value === undefined ? { problems: [`should be ${what}`] } : { value }
  }
}

export const text: Parse<string> = (value) => ({ value })

const matching = (what: string, pattern: RegExp) =>
  shouldBe(what, (text) => (pattern.test(text) ? text : undefined))

const whole = (what: string, min: number, max: number) =>
  shouldBe(what, (digits) => {
    const isOne = /^\d{1,9}$/.test(digits) && Number(digits) >= min && Number(digits) <= max
    return isOne ? Number(digits) : undefined
  })

export const oneOf = <const Name extends string>(...names: Name[]) =>
  shouldBe(`one of ${names.join(', ')}`, (text) => names.find((name) => name === text))

/** Returns undefined unless every part between the commas is one. */
function setOf<T>(readPart: (part: string) => T | undefined) {
  return (text: string): ReadonlySet<T> | undefined => {
    const parts = text.split(',').map((part) => readPart(part.trim()))
    return parts.every((part) => part !== undefined) ? new Set(parts) : undefined
  }
}

export const botToken = matching(
  'a bot token as BotFather gives it, 123456:ABC…',
  /^[1-9]\d*:[\w-]+$/,
)

export const webhookSecret = matching(
  '1 to 256 characters of A-Z, a-z, 0-9, _ and -, as Telegram demands',
  /^[\w-]{1,256}$/,
)

const toHttpUrl = (url: string) => (isHttpUrl(url) ? url.replace(/\/+$/, '') : undefined)

export const httpUrl = shouldBe('an http or https URL', toHttpUrl)

export const serviceUrl = shouldBe('an http or https URL that ends in /api/v1', (url) =>
  /\/api\/v1\/*$/.test(url) ? toHttpUrl(url) : undefined,
)

export const postgresUrl = shouldBe(DATABASE_URL_WORDS, parseDatabaseUrl)

const BUDGET_MICRO_RUB_MAX = 10n ** 15n

export const budgetRub = shouldBe('roubles a month as a decimal: 5000', (rub) => {
  const microRub = parseRub(rub) ?? -1n
  return microRub >= 0n && microRub <= BUDGET_MICRO_RUB_MAX ? microRub : undefined
})

export const port = whole('a port number from 0 to 65535', 0, 65_535)
export const positiveInteger = whole('a whole number from 1', 1, 999_999_999)

/** An hour is more than any answer takes. */
export const seconds = (min: number) =>
  whole(`a whole number of seconds from ${min} to 3600`, min, 3_600)

const USER_IDS = 'Telegram user ids with commas between: 123456789,987654321'
const toUserIds = setOf((id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined))

export const userIds = shouldBe(USER_IDS, toUserIds)

export const allowedUsers = shouldBe(`* for everybody, or ${USER_IDS}`, (list) =>
  list === '*' ? ('everybody' as const) : toUserIds(list),
)

export const allowedPairs = shouldBe(
  'host:port pairs with commas between: 127.0.0.1:8080,receiver.lan:80',
  setOf(parseAllowedPair),
)

export const trustedProxies = shouldBe(
  'IP addresses or networks with commas between: 127.0.0.1,10.0.0.0/8',
  setOf(parseNetwork),
)

/** Origins as browsers send them. Pages in apps and extensions have schemes of their own. */
export const origins = shouldBe(
  '* for any, or origins with commas between: https://chat.example.com,http://localhost:5173',
  setOf((text) => {
    if (text === '*') return text
    const url = URL.parse(text)
    if (url === null || url.host === '' || url.host.includes('*')) return undefined
    const origin = `${url.protocol}//${url.host}`
    return url.href === origin || url.href === `${origin}/` ? origin : undefined
  }),
)

export const timeZone = shouldBe('an IANA time zone such as Europe/Moscow', (name) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
})

/** Label → micro-roubles. */
export const mediaPrices = shouldBe(
  'JSON of labels and roubles, each once: {"vidgen-720p-5s": "40"}',
  (json) => {
    const given = parseJson(json)
    if (!isJsonObject(given) || findRepeatedNames(json).length > 0) return undefined
    const prices = new Map(Object.entries(given).map(([label, rub]) => [label, toPrice(rub)]))
    return [...prices.values()].every((price) => price >= 0n) ? prices : undefined
  },
)

const toPrice = (rub: unknown) => parseRub(String(rub)) ?? -1n

const wholeNumber = Type.Integer({ minimum: 1, description: 'a whole number from 1' })

/** Telegram's limits, as the operator wants them kept. */
export const sendLimits = json(
  partial(
    {
      private_per_second: Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' }),
      private_burst: wholeNumber,
      group_per_minute: wholeNumber,
      overall_per_second: wholeNumber,
    },
    'JSON such as {"overall_per_second": 30}',
  ),
  ({
    private_per_second = 1000 / SEND_LIMITS.private.everyMs,
    private_burst = SEND_LIMITS.private.burst,
    group_per_minute = SEND_LIMITS.group.calls,
    overall_per_second = SEND_LIMITS.overall.calls,
  }): SendLimits => ({
    private: { everyMs: 1000 / private_per_second, burst: private_burst },
    group: { ...SEND_LIMITS.group, calls: group_per_minute },
    overall: { ...SEND_LIMITS.overall, calls: overall_per_second },
  }),
)

/** A week at least: an update may come again, and a reply may be to a message of yesterday. */
const days = wholeOf(7, 36_500, 'of days ')

/** For how many days the bot keeps what it can do without. */
export const botRetention = json(
  partial(
    { turns_days: days, orders_days: days, cards_days: days, changes_days: days },
    'JSON such as {"turns_days": 400}',
  ),
  ({ turns_days, orders_days, cards_days, changes_days }): BotRetention => ({
    turns: turns_days,
    orders: orders_days,
    cards: cards_days,
    changes: changes_days,
  }),
)

/** The limits of the interface document. */
export const SERVICE_LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

/** Requests a minute by kind. The interface document has the defaults. */
export const serviceLimits = json(
  partial(
    { chat: wholeNumber, video: wholeNumber, image: wholeNumber, sound: wholeNumber },
    'JSON such as {"chat": 30}',
  ),
  (given) => ({ ...SERVICE_LIMITS, ...given }),
)

/** Each problem of a JSON variable has its path in it. */
function json<Schema extends TSchema, T>(
  schema: Schema,
  toValue: (given: Static<Schema>) => T,
): Parse<T> {
  const findProblems = createCheck(schema)
  return (text) => {
    const given = parseJson(text)
    const repeated = given === undefined ? [] : findRepeatedNames(text)
    const problems = [...findProblems(given), ...repeated.map((path) => `${path}: ${ONCE}`)]
    return problems.length > 0 ? { problems } : { value: toValue(given as Static<Schema>) }
  }
}
