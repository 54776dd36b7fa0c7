/**
 * Reads the environment into a typed config.
 *
 * It is one table: each variable is a line of `readConfig()` and a parser below it, and an operator's question about a
 * variable is answered by reading both. Those that are JSON are in `json-variables.ts`, those of the operator's own key in
 * `own-key.ts`.
 */
import { parseRub } from '../../contract/money.ts'
import { findDataDir, findRootDir } from '../../platform/database/data-dir.ts'
import {
  DATABASE_URL_WORDS,
  parseDatabaseUrl,
} from '../../platform/database/server/database-refused.ts'
import { isHttpUrl } from '../../platform/guard.ts'
import { parseAllowedPair, parseNetwork } from '../../platform/http/outside-url.ts'
import { isThisMachine, parseProxies } from '../../platform/http/proxies.ts'
import { MendableError } from '../../platform/mendable.ts'
import { writeCommand } from '../../platform/write-command.ts'
import {
  builtInServiceConfig,
  emptyServiceConfig,
  type ReadText,
  readServiceFile,
  type ServiceConfig,
} from '../../service/config/service-config.ts'
import {
  botRetention,
  mediaPrices,
  SERVICE_LIMITS,
  sendLimits,
  serviceLimits,
} from './json-variables.ts'
import {
  describeOpenHttp,
  describeUnusedKey,
  OPENAI_VARIABLES,
  readOwnKey,
  usdRate,
} from './own-key.ts'
import {
  type Environment,
  isSet,
  matching,
  type Parse,
  reader,
  setOf,
  shouldBe,
} from './read-variables.ts'
import { describeUnknown, findUnknown } from './unknown-variables.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const LOG_FORMATS = ['json', 'pretty'] as const
const ROLES = ['bot', 'service'] as const
/** The user who has all rights in the playground if no admin is named: the `Admin` it begins with. */
const PLAYGROUND_ADMIN_ID = 1003

/** Everything the operator decides, checked. Secrets are separate, so that settings may be shown. */
export type Config = ReturnType<typeof readConfig>

/** The environment is wrong. It has every problem, one sentence each. */
export class ConfigError extends MendableError {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Cannot start: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/**
 * Reads the environment and the role arguments of the command line.
 *
 * @param readText Reads the file that SERVICE_CONFIG names.
 * @throws {ConfigError} With every problem found.
 */
export function readConfig(
  env: Environment,
  roleArgs: readonly string[] = [],
  readText?: ReadText,
) {
  const problems: string[] = []
  const known = new Set<string>([...OPENAI_VARIABLES, 'DATA_DIR'])
  const read = reader(env, problems, known)

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
  const openAi =
    roles.has('service') && !isSet(env, 'SERVICE_CONFIG') ? readOwnKey(env, problems) : undefined
  // The file's reader takes it from the environment.
  if (isSet(env, 'SERVICE_CONFIG')) read('USD_RUB', usdRate)
  const notes = [
    ...describeUnusedKey(env, roles),
    ...describeUnusedProxy(env, roles),
    ...describeOpenHttp(openAi),
  ]
  const config = {
    roles,
    telegram: {
      apiRoot: read('TELEGRAM_API_ROOT', httpUrl),
      sendLimits: read('SEND_LIMITS', sendLimits),
    },
    access: {
      adminIds:
        read('ADMIN_IDS', userIds) ?? new Set(isSet(env, 'BOT_TOKEN') ? [] : [PLAYGROUND_ADMIN_ID]),
      viewerIds: read('VIEWER_IDS', userIds) ?? new Set(),
      /** The users who are let in. With a real token the bot spends its operator's money; the playground's spends none. */
      allowedUserIds:
        read('ALLOWED_USER_IDS', allowedUsers) ??
        (isSet(env, 'BOT_TOKEN') ? new Set<number>() : 'everybody'),
    },
    /** A remote service; undefined means the embedded one. */
    remoteServiceUrl: read('SERVICE_URL', serviceUrl),
    serviceLimits: read('SERVICE_LIMITS', serviceLimits) ?? SERVICE_LIMITS,
    rootDir: findRootDir(env),
    /** The folder of all that is stored. A service alone on a DATABASE_URL may share its `media` with others. */
    dataDir: !roles.has('bot') && isSet(env, 'DATABASE_URL') ? findRootDir(env) : findDataDir(env),
    databaseUrl: read('DATABASE_URL', postgresUrl),
    listen: { host: read('HOST', text) ?? '127.0.0.1', port: read('PORT', port) ?? 3000 },
    stop: {
      drainMs: 1000 * (read('DRAIN_SECONDS', seconds(0)) ?? 0),
      stopMs: 1000 * (read('STOP_SECONDS', seconds(1)) ?? 20),
    },
    playgroundPort: read('PLAYGROUND_PORT', port) ?? 3001,
    trustedProxies: [...(read('TRUSTED_PROXIES', proxies) ?? [])],
    /** Root under which others reach this process; undefined means its own address. */
    publicUrl: read('PUBLIC_URL', httpUrl),
    /** What the service sells at first. With `openAi` that is nothing, until the upstream was asked. */
    service:
      read('SERVICE_CONFIG', serviceFile(env, readText)) ??
      (openAi === undefined ? builtInServiceConfig() : emptyServiceConfig()),
    serviceFile: read('SERVICE_CONFIG', text),
    openAi,
    notes,
    callbackAllow: read('CALLBACK_ALLOW', allowedPairs) ?? new Set(),
    resultAllow: read('RESULT_ALLOW', allowedPairs) ?? new Set(),
    corsOrigins: read('CORS_ORIGINS', origins) ?? new Set(),
    /** Label → micro-roubles, for a remote service that does not state its prices. */
    mediaPricesMicroRub: read('CLIP_PRICES_RUB', mediaPrices),
    chat: {
      defaultModel: read('DEFAULT_MODEL', text),
      systemPrompt: read('SYSTEM_PROMPT', text),
      maxTokens: read('MAX_TOKENS', positiveInteger) ?? 4096,
      timeZone: read('TIME_ZONE', timeZone) ?? machineTimeZone(),
    },
    botRetention: read('BOT_RETENTION', botRetention),
    budgetMicroRub: read('BUDGET_RUB', budgetRub),
    logLevel: read('LOG_LEVEL', logLevel) ?? 'info',
    /** Undefined means: for people on a terminal, for programs elsewhere. */
    logFormat: read('LOG_FORMAT', logFormat),
    secrets: {
      botToken: read('BOT_TOKEN', botToken),
      serviceApiKey: read('SERVICE_API_KEY', text),
      /** Set, Telegram sends the updates to `publicUrl`; otherwise they are fetched. */
      webhookSecret: read('WEBHOOK_SECRET', webhookSecret),
      telegramProxies: read('TELEGRAM_PROXY', parseProxies) ?? [],
      upstreamProxies: read('UPSTREAM_PROXY', parseProxies) ?? [],
    },
  }
  if (isWebhookInPlainHttp(config)) {
    problems.push('PUBLIC_URL: should be an https URL, Telegram sends updates to no other')
  }
  const unknown = findUnknown(env, new Set([...known, ...config.service.keys.keys()]))
  if (problems.length > 0) {
    // Which keys a file names is not known where it is wrong; a name that looks like another one may be why.
    const misspelt = unknown.filter(({ meant }) => meant !== undefined)
    throw new ConfigError([...problems, ...misspelt.map(describeUnknown)])
  }
  config.notes.push(...unknown.map(describeUnknown))
  return config
}

/** @returns The time zone of a command that needs no other setting. @throws {ConfigError} If it is not a time zone. */
export function readTimeZone(env: Environment): string {
  const problems: string[] = []
  const read = reader(env, problems)('TIME_ZONE', timeZone)
  if (problems.length > 0) throw new ConfigError(problems)
  return read ?? machineTimeZone()
}

function machineTimeZone(): string {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions()
  // What the types leave out: it is undefined where TZ names no zone.
  return (zone as string | undefined) ?? 'UTC'
}

/** A Bot API server of the operator's own may send anywhere. */
function isWebhookInPlainHttp({
  roles,
  secrets,
  publicUrl,
  telegram,
}: Pick<Config, 'roles' | 'secrets' | 'publicUrl' | 'telegram'>): boolean {
  const { botToken, webhookSecret } = secrets
  const isWebhook = roles.has('bot') && botToken !== undefined && webhookSecret !== undefined
  if (!isWebhook || publicUrl === undefined) return false
  const isTelegramsOwn =
    telegram.apiRoot === undefined || new URL(telegram.apiRoot).hostname === 'api.telegram.org'
  return isTelegramsOwn && new URL(publicUrl).protocol === 'http:'
}

/** Where Telegram's place is on this machine, no proxy leads there. */
function describeUnusedProxy(env: Environment, roles: ReadonlySet<string>): string[] {
  if (!roles.has('bot') || !isSet(env, 'TELEGRAM_PROXY')) return []
  if (!isSet(env, 'BOT_TOKEN')) {
    return ['the playground stands in for Telegram without BOT_TOKEN: TELEGRAM_PROXY is not used']
  }
  const root = URL.parse(env.TELEGRAM_API_ROOT?.trim() ?? '')
  return root !== null && isThisMachine(root.hostname)
    ? ['TELEGRAM_API_ROOT is on this machine: TELEGRAM_PROXY is not used']
    : []
}

const text: Parse<string> = (value) => ({ value })

const botToken = shouldBe(
  'a bot token as BotFather gives it, 123456:ABC…',
  matching(/^[1-9]\d*:[\w-]+$/),
)

const webhookSecret = shouldBe(
  '1 to 256 characters of A-Z, a-z, 0-9, _ and -, as Telegram demands',
  matching(/^[\w-]{1,256}$/),
)

const toHttpUrl = (url: string) => (isHttpUrl(url) ? url.replace(/\/+$/, '') : undefined)

const httpUrl = shouldBe('an http or https URL', toHttpUrl)

const serviceUrl = shouldBe('an http or https URL that ends in /api/v1', (url) => {
  const root = toHttpUrl(url)
  return root?.endsWith('/api/v1') ? root : undefined
})

const BUDGET_MICRO_RUB_MAX = 10n ** 15n

const budgetRub = shouldBe('roubles a month as a decimal: 5000', (rub) => {
  const microRub = parseRub(rub)
  return microRub !== undefined && microRub >= 0n && microRub <= BUDGET_MICRO_RUB_MAX
    ? microRub
    : undefined
})

const postgresUrl = shouldBe(DATABASE_URL_WORDS, parseDatabaseUrl)

const port = shouldBe('a port number from 0 to 65535', (digits) =>
  /^\d{1,5}$/.test(digits) && Number(digits) <= 65_535 ? Number(digits) : undefined,
)

const positiveInteger = shouldBe('a whole number from 1', (digits) =>
  /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined,
)

/** An hour is more than any answer takes. */
const SECONDS_MAX = 3_600

const seconds = (min: number) =>
  shouldBe(`a whole number of seconds from ${min} to ${SECONDS_MAX}`, (digits) => {
    const isOne = /^\d{1,4}$/.test(digits) && Number(digits) >= min && Number(digits) <= SECONDS_MAX
    return isOne ? Number(digits) : undefined
  })

const USER_IDS = 'Telegram user ids with commas between: 123456789,987654321'

const toUserIds = setOf((id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined))

const userIds = shouldBe(USER_IDS, toUserIds)

const allowedUsers = shouldBe(`* for everybody, or ${USER_IDS}`, (list) =>
  list === '*' ? ('everybody' as const) : toUserIds(list),
)

const allowedPairs = shouldBe(
  'host:port pairs with commas between: 127.0.0.1:8080,receiver.lan:80',
  setOf(parseAllowedPair),
)

/** @returns An origin as browsers send it, or `*`. Pages in apps and extensions have schemes of their own. */
function parseCorsOrigin(text: string): string | undefined {
  if (text === '*') return text
  const url = URL.parse(text)
  if (url === null || url.host === '' || url.host.includes('*')) return undefined
  const origin = `${url.protocol}//${url.host}`
  return url.href === origin || url.href === `${origin}/` ? origin : undefined
}

const origins = shouldBe(
  '* for any, or origins with commas between: https://chat.example.com,http://localhost:5173',
  setOf(parseCorsOrigin),
)

const proxies = shouldBe(
  'IP addresses or networks with commas between: 127.0.0.1,10.0.0.0/8',
  setOf(parseNetwork),
)

const timeZone = shouldBe('an IANA time zone such as Europe/Moscow', (name) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
})

const logLevel = shouldBe(`one of ${LOG_LEVELS.join(', ')}`, (name) =>
  LOG_LEVELS.find((known) => known === name),
)

const logFormat = shouldBe(`one of ${LOG_FORMATS.join(', ')}`, (name) =>
  LOG_FORMATS.find((known) => known === name),
)

function readRoles(args: readonly string[], problems: string[]) {
  const roles = ROLES.filter((role) => args.includes(role))
  if (args.some((arg) => !ROLES.some((role) => role === arg))) {
    problems.push(
      `unknown role: ${writeCommand('start')} runs every role, ${writeCommand('start', 'bot')} or ${writeCommand('start', 'service')} one`,
    )
  }
  return new Set(roles.length > 0 ? roles : ROLES)
}

function serviceFile(env: Environment, readText: ReadText | undefined): Parse<ServiceConfig> {
  return (path) => {
    const read = readServiceFile(path, env, readText)
    return read.ok ? { value: read.config } : read
  }
}
