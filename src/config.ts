import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { SEND_LIMITS, type SendLimits } from './bot/telegram/pacing/send-limits.ts'
import { parseRub } from './contract/money.ts'
import { createCheck, isHttpUrl } from './guard.ts'
import { type AllowedPair, parseAllowedPair } from './service/callback/callback-url.ts'
import {
  builtInServiceConfig,
  parseServiceConfig,
  type ServiceConfig,
} from './service/config/service-config.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type Role = 'bot' | 'service'

/** Everything the operator decides, checked. Secrets stand apart, so that settings may be shown. */
export interface Config {
  roles: ReadonlySet<Role>
  telegram: {
    apiRoot: string | undefined
    /** Undefined means Telegram's own. */
    sendLimits: SendLimits | undefined
  }
  access: { adminIds: ReadonlySet<number>; allowedUserIds: ReadonlySet<number> }
  /** A remote service; undefined means the embedded one. */
  remoteServiceUrl: string | undefined
  /** Requests a minute that the service takes from this bot's key. */
  serviceLimits: Readonly<Record<'chat' | 'video' | 'image' | 'sound', number>>
  /** Undefined means the embedded server under `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  listen: { host: string; port: number }
  /** Root under which others reach this process; undefined means its own address. */
  publicUrl: string | undefined
  service: ServiceConfig
  /** Where callbacks may go although it is private. */
  callbackAllow: ReadonlySet<AllowedPair>
  /** Label → micro-roubles, for a remote service that does not tell its prices. */
  clipPricesMicroRub: ReadonlyMap<string, bigint> | undefined
  chat: {
    defaultModel: string | undefined
    systemPrompt: string | undefined
    maxTokens: number
    timeZone: string
  }
  logLevel: LogLevel
  secrets: {
    botToken: string | undefined
    serviceApiKey: string | undefined
    /** Set, Telegram sends the updates to `publicUrl`; otherwise they are fetched. */
    webhookSecret: string | undefined
  }
}

/** What is wrong with the environment: every problem, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Cannot start: ${problems.join('; ')}`)
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const BOT_TOKEN = /^[1-9]\d*:[\w-]+$/
const ROLES = ['bot', 'service'] as const

/**
 * Reads the environment and the role arguments of the command line.
 *
 * @param readText Reads the file that SERVICE_CONFIG names.
 * @throws {ConfigError} With every problem found.
 */
export function readConfig(
  env: Environment,
  roleArgs: readonly string[] = [],
  readText: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Config {
  const problems: string[] = []
  const read = reader(env, problems)

  if (isSet(env, 'SERVICE_URL') !== isSet(env, 'SERVICE_API_KEY')) {
    problems.push('SERVICE_URL and SERVICE_API_KEY: set both for a remote service, or neither')
  }
  if (isSet(env, 'WEBHOOK_SECRET') && !isSet(env, 'PUBLIC_URL')) {
    problems.push('WEBHOOK_SECRET: needs PUBLIC_URL, the address to which Telegram sends updates')
  }
  const roles = readRoles(roleArgs, problems)
  if (!roles.has('service') && !isSet(env, 'SERVICE_URL')) {
    problems.push(
      'SERVICE_URL: should be set when the bot runs alone, it needs a service to talk to',
    )
  }
  const config: Config = {
    roles,
    telegram: {
      apiRoot: read('TELEGRAM_API_ROOT', httpUrl),
      sendLimits: read('SEND_LIMITS', sendLimits),
    },
    access: {
      adminIds: read('ADMIN_IDS', userIds) ?? new Set(),
      allowedUserIds: read('ALLOWED_USER_IDS', userIds) ?? new Set(),
    },
    remoteServiceUrl: read('SERVICE_URL', serviceUrl),
    serviceLimits: read('SERVICE_LIMITS', serviceLimits) ?? SERVICE_LIMITS,
    databaseUrl: read('DATABASE_URL', postgresUrl),
    dataDir: resolve(read('DATA_DIR', text) ?? './data'),
    listen: { host: read('HOST', text) ?? '127.0.0.1', port: read('PORT', port) ?? 3000 },
    publicUrl: read('PUBLIC_URL', httpUrl),
    service: readServiceConfig(env, problems, readText),
    callbackAllow: read('CALLBACK_ALLOW', allowedPairs) ?? new Set(),
    clipPricesMicroRub: read('CLIP_PRICES_RUB', clipPrices),
    chat: {
      defaultModel: read('DEFAULT_MODEL', text),
      systemPrompt: read('SYSTEM_PROMPT', text),
      maxTokens: read('MAX_TOKENS', positiveInteger) ?? 4096,
      timeZone: read('TIME_ZONE', timeZone) ?? 'Europe/Moscow',
    },
    logLevel: read('LOG_LEVEL', logLevel) ?? 'info',
    secrets: {
      botToken: read('BOT_TOKEN', botToken),
      serviceApiKey: read('SERVICE_API_KEY', text),
      webhookSecret: read('WEBHOOK_SECRET', webhookSecret),
    },
  }
  if (isWebhookInPlainHttp(config)) {
    problems.push('PUBLIC_URL: should be an https URL, Telegram sends updates to no other')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** A Bot API server of the operator's own may send anywhere. */
function isWebhookInPlainHttp({ roles, secrets, publicUrl, telegram }: Config): boolean {
  const { botToken, webhookSecret } = secrets
  const isWebhook = roles.has('bot') && botToken !== undefined && webhookSecret !== undefined
  if (!isWebhook || publicUrl === undefined) return false
  const isTelegramsOwn =
    telegram.apiRoot === undefined || new URL(telegram.apiRoot).hostname === 'api.telegram.org'
  return isTelegramsOwn && new URL(publicUrl).protocol === 'http:'
}

/** Turns a variable's text into a value, or says what it should be. */
type Parse<T> = (value: string) => { value: T } | { shouldBe: string } | { problems: string[] }

function reader(env: Environment, problems: string[]) {
  return <T>(name: string, parse: Parse<T>): T | undefined => {
    if (!isSet(env, name)) return undefined
    const parsed = parse(env[name]?.trim() ?? '')
    if ('value' in parsed) return parsed.value
    // The value itself is left out: it may be a secret.
    const found = 'problems' in parsed ? parsed.problems : [`should be ${parsed.shouldBe}`]
    problems.push(...found.map((problem) => `${name}: ${problem}`))
    return undefined
  }
}

/** An empty variable counts as unset. */
function isSet(env: Environment, name: string): boolean {
  return (env[name]?.trim() ?? '') !== ''
}

const text: Parse<string> = (value) => ({ value })

const botToken: Parse<string> = (value) =>
  BOT_TOKEN.test(value) ? { value } : { shouldBe: 'a bot token as BotFather gives it, 123456:ABC…' }

const webhookSecret: Parse<string> = (value) =>
  /^[\w-]{1,256}$/.test(value)
    ? { value }
    : { shouldBe: '1 to 256 characters of A-Z, a-z, 0-9, _ and -, as Telegram demands' }

const httpUrl: Parse<string> = (value) =>
  isHttpUrl(value) ? { value: value.replace(/\/+$/, '') } : { shouldBe: 'an http or https URL' }

const serviceUrl: Parse<string> = (value) => {
  const url = httpUrl(value)
  return 'value' in url && url.value.endsWith('/api/v1')
    ? url
    : { shouldBe: 'an http or https URL that ends in /api/v1' }
}

const postgresUrl: Parse<string> = (value) =>
  /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')
    ? { value }
    : { shouldBe: 'a PostgreSQL URL, postgresql://user:password@host:5432/database' }

const port: Parse<number> = (value) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? { value: Number(value) }
    : { shouldBe: 'a port number from 0 to 65535' }

const positiveInteger: Parse<number> = (value) =>
  /^[1-9]\d{0,8}$/.test(value) ? { value: Number(value) } : { shouldBe: 'a whole number from 1' }

const userIds: Parse<ReadonlySet<number>> = (value) => {
  const ids = value.split(',').map((id) => id.trim())
  return ids.every((id) => /^[1-9]\d{0,14}$/.test(id))
    ? { value: new Set(ids.map(Number)) }
    : { shouldBe: 'Telegram user ids with commas between: 123456789,987654321' }
}

const allowedPairs: Parse<ReadonlySet<AllowedPair>> = (value) => {
  const pairs = value.split(',').map((pair) => parseAllowedPair(pair.trim()))
  return pairs.every((pair) => pair !== undefined)
    ? { value: new Set(pairs) }
    : { shouldBe: 'host:port pairs with commas between: 127.0.0.1:8080,receiver.lan:80' }
}

const timeZone: Parse<string> = (value) => {
  try {
    return { value: new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone }
  } catch {
    return { shouldBe: 'an IANA time zone such as Europe/Moscow' }
  }
}

const logLevel: Parse<LogLevel> = (value) => {
  const level = LOG_LEVELS.find((known) => known === value)
  return level === undefined ? { shouldBe: `one of ${LOG_LEVELS.join(', ')}` } : { value: level }
}

const clipPrices: Parse<ReadonlyMap<string, bigint>> = (value) => {
  const shouldBe = 'JSON of labels and roubles: {"vidgen-720p-5s": "40"}'
  const parsed = parseJson(value)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { shouldBe }
  const prices = new Map<string, bigint>()
  for (const [label, rub] of Object.entries(parsed)) {
    const microRub = parseRub(String(rub))
    if (microRub === undefined || microRub < 0n) return { shouldBe }
    prices.set(label, microRub)
  }
  return { value: prices }
}

const wholeNumber = Type.Integer({ minimum: 1, description: 'a whole number from 1' })

const sendLimits = json(
  Type.Partial(
    Type.Object({
      private_per_second: Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' }),
      private_burst: wholeNumber,
      group_per_minute: wholeNumber,
      overall_per_second: wholeNumber,
    }),
    { additionalProperties: false, description: 'JSON such as {"overall_per_second": 30}' },
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

/** As the interface document has them. */
const SERVICE_LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

const serviceLimits = json(
  Type.Partial(
    Type.Object({ chat: wholeNumber, video: wholeNumber, image: wholeNumber, sound: wholeNumber }),
    { additionalProperties: false, description: 'JSON such as {"chat": 30}' },
  ),
  (given) => ({ ...SERVICE_LIMITS, ...given }),
)

/** For a variable that is JSON: each problem has its path in it. */
function json<Schema extends TSchema, T>(
  schema: Schema,
  toValue: (given: Static<Schema>) => T,
): Parse<T> {
  const findProblems = createCheck(schema)
  return (value) => {
    const given = parseJson(value)
    const problems = findProblems(given)
    return problems.length > 0 ? { problems } : { value: toValue(given as Static<Schema>) }
  }
}

function readRoles(args: readonly string[], problems: string[]): ReadonlySet<Role> {
  const roles = args.filter((arg) => ROLES.some((role) => role === arg)) as Role[]
  if (roles.length !== args.length) {
    problems.push(`unknown role: npm start runs every role, npm start -- bot or -- service one`)
  }
  return new Set(roles.length > 0 ? roles : ROLES)
}

function readServiceConfig(
  env: Environment,
  problems: string[],
  readText: (path: string) => string,
): ServiceConfig {
  const path = env.SERVICE_CONFIG?.trim() ?? ''
  if (path === '') return builtInServiceConfig()
  let contents: string
  try {
    contents = readText(path)
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    problems.push(`SERVICE_CONFIG: cannot read the file "${path}" (${code})`)
    return builtInServiceConfig()
  }
  const json = parseJson(contents)
  if (json === undefined) {
    problems.push(`SERVICE_CONFIG: the file "${path}" should be JSON`)
    return builtInServiceConfig()
  }
  const parsed = parseServiceConfig(json, env)
  if (parsed.ok) return parsed.config
  problems.push(...parsed.problems.map((problem) => `SERVICE_CONFIG: ${problem}`))
  return builtInServiceConfig()
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
