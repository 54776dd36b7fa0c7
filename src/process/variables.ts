/**
 * The kinds of environment variables.
 * In: the text of one variable. Out: its value, or what the value should be.
 * Invariant: no sentence quotes the text, which may be a secret.
 */
import ipaddr from 'ipaddr.js'
import { type Static, type TSchema, Type } from 'typebox'
import type { BotRetention } from '../bot/housekeeping.ts'
import { SEND_LIMITS, type SendLimits } from '../bot/telegram/pace.ts'
import { parseRub } from '../contract/money.ts'
import { DATABASE_URL_WORDS, parseDatabaseUrl } from '../platform/database/database-refused.ts'
import { createCheck, isHttpUrl } from '../platform/guard.ts'
import { isJsonObject, parseJson } from '../platform/http/json.ts'
import { PROXY_WORDS, parseProxies } from '../platform/http/proxies.ts'
import { parseAllowedPair } from '../platform/http/url-guard.ts'
import { partial, whole as wholeOf } from '../service/config/fields.ts'
import {
  parseBaseUrl,
  parseModels,
  parsePrices,
  parseUsdRate,
} from '../service/config/openai/settings.ts'

/** The requests a minute of the interface document. */
export const SERVICE_LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

export type Environment = Readonly<Record<string, string | undefined>>

type Parse<T> = (text: string) => { value: T } | { problems: readonly string[] }
export type Read = <T>(name: string, parse: Parse<T>) => T | undefined

/** Makes the function that reads one variable. It adds to `problems`, and the variable's name to `known`. */
export function reader(env: Environment, problems: string[], known = new Set<string>()): Read {
  return (name, parse) => {
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

function shouldBe<T>(words: string, read: (text: string) => T | undefined): Parse<T> {
  return (text) => {
    const value = read(text)
    return value === undefined ? { problems: [`should be ${words}`] } : { value }
  }
}

export const text: Parse<string> = (value) => ({ value })

export const whole = (words: string, min: number, max: number) =>
  shouldBe(words, (digits) => {
    const number = /^\d{1,9}$/.test(digits) ? Number(digits) : -1
    return number >= min && number <= max ? number : undefined
  })

export const port = whole('a port number from 0 to 65535', 0, 65_535)

/** An hour is more than any answer takes. */
export const seconds = (min: number) =>
  whole(`a whole number of seconds from ${min} to 3600`, min, 3_600)

export const oneOf = <const Name extends string>(...names: Name[]) =>
  shouldBe(`one of ${names.join(', ')}`, (text) => names.find((name) => name === text))

function setOf<T>(readPart: (part: string) => T | undefined) {
  return (text: string): ReadonlySet<T> | undefined => {
    const parts = text.split(',').map((part) => readPart(part.trim()))
    return parts.every((part) => part !== undefined) ? new Set(parts) : undefined
  }
}

const USER_IDS = 'Telegram user ids with commas between: 123456789,987654321'
const toUserIds = setOf((id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined))

export const userIds = shouldBe(USER_IDS, toUserIds)
export const allowedUsers = shouldBe(`* for everybody, or ${USER_IDS}`, (list) =>
  list === '*' ? ('everybody' as const) : toUserIds(list),
)

const toHttpUrl = (url: string) => (isHttpUrl(url) ? url.replace(/\/+$/, '') : undefined)

export const httpUrl = shouldBe('an http or https URL', toHttpUrl)
export const serviceUrl = shouldBe('an http or https URL that ends in /api/v1', (url) =>
  /\/api\/v1\/*$/.test(url) ? toHttpUrl(url) : undefined,
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

const wholeNumber = Type.Integer({ minimum: 1, description: 'a whole number from 1' })

export const databaseUrl = shouldBe(DATABASE_URL_WORDS, parseDatabaseUrl)
export const proxies = shouldBe(PROXY_WORDS, parseProxies)

function json<Schema extends TSchema, T>(
  schema: Schema,
  toValue: (given: Static<Schema>) => T,
): Parse<T> {
  const findProblems = createCheck(schema)
  return (text) => {
    const given = parseJson(text)
    const problems = findProblems(given)
    return problems.length > 0 ? { problems } : { value: toValue(given as Static<Schema>) }
  }
}

const matching = (words: string, pattern: RegExp) =>
  shouldBe(words, (text) => (pattern.test(text) ? text : undefined))

export const botToken = matching(
  'a bot token as BotFather gives it, 123456:ABC…',
  /^[1-9]\d*:[\w-]+$/,
)
export const webhookSecret = matching(
  '1 to 256 characters of A-Z, a-z, 0-9, _ and -, as Telegram demands',
  /^[\w-]{1,256}$/,
)

const BUDGET_MICRO_RUB_MAX = 10n ** 15n

export const budget = shouldBe('roubles a month as a decimal: 5000', (rub) => {
  const microRub = parseRub(rub) ?? -1n
  return microRub >= 0n && microRub <= BUDGET_MICRO_RUB_MAX ? microRub : undefined
})

export const allowedPairs = shouldBe(
  'host:port pairs with commas between: 127.0.0.1:8080,receiver.lan:80',
  setOf(parseAllowedPair),
)

export const networks = shouldBe(
  'IP addresses or networks with commas between: 127.0.0.1,10.0.0.0/8',
  setOf((text) => (ipaddr.isValid(text) || ipaddr.isValidCIDR(text) ? text : undefined)),
)

export const mediaPrices = shouldBe(
  'JSON of labels and roubles: {"vidgen-720p-5s": "40"}',
  (json) => {
    const given = parseJson(json)
    if (!isJsonObject(given)) return undefined
    const prices = Object.entries(given).map(
      ([label, rub]) => [label, parseRub(String(rub)) ?? -1n] as const,
    )
    return prices.every(([, price]) => price >= 0n) ? new Map(prices) : undefined
  },
)

export const serviceLimits = json(
  partial(
    { chat: wholeNumber, video: wholeNumber, image: wholeNumber, sound: wholeNumber },
    'JSON such as {"chat": 30}',
  ),
  (given) => ({ ...SERVICE_LIMITS, ...given }),
)

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

export const botRetention = json(
  partial(
    { turns_days: days, orders_days: days, changes_days: days },
    'JSON such as {"turns_days": 400}',
  ),
  ({ turns_days: turns, orders_days: orders, changes_days: changes }): BotRetention => {
    return { turns, orders, changes }
  },
)

export const openAiKey = shouldBe('the key alone, in one line and without quotes', (key) =>
  /^[!-~]+$/.test(key) && !/^["'`]|["'`]$/.test(key) ? key : undefined,
)
export const openAiBaseUrl = shouldBe(
  'the http or https URL of an API like OpenAI’s, https://openrouter.ai/api/v1, without a query or a password',
  parseBaseUrl,
)
export const openAiModels = shouldBe(
  'ids of models with commas between, each once: gpt-5-mini,gpt-4.1',
  parseModels,
)
export const openAiPrices = shouldBe(
  'prices in dollars per 1 million tokens of input and output, as decimals: gpt-5-mini=0.25/2,llama3=free',
  parsePrices,
)
export const rate = shouldBe('the roubles that a dollar costs, above 0: 81.9', parseUsdRate)
