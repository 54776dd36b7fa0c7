/**
 * Reads the environment into a typed config: `readConfig()` is one table of each variable with its check and default.
 *
 * In: the variables, and the roles of the command line. Out: the config, or every problem.
 */
import { findDataDir, findRootDir } from '../platform/database/data-dir.ts'
import { writeCommand } from '../platform/installation.ts'
import { MendableError } from '../platform/mendable.ts'
import * as own from '../service/config/openai/settings.ts'
import { SHIPPED_USD_RATE } from '../service/config/openai/usd.ts'
import {
  builtInServiceConfig,
  emptyServiceConfig,
  type ReadText,
  readServiceFile,
} from '../service/config/service-config.ts'
import { findUnknown } from './environment.ts'
import * as kind from './variables.ts'
import { type Environment, isSet, type Read, reader } from './variables.ts'

const ROLES = ['bot', 'service'] as const
/** The user who has all rights in the playground if no admin is named: the `Admin` it begins with. */
const PLAYGROUND_ADMIN_ID = 1003
const TELEGRAM = 'https://api.telegram.org'
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Everything the operator decides, checked. Secrets are separate, so that settings may be shown. */
export type Config = ReturnType<typeof readConfig>

export class ConfigError extends MendableError {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Cannot start: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** @throws {ConfigError} With every problem found, one sentence each. */
export function readConfig(
  env: Environment,
  roleArgs: readonly string[] = [],
  readText?: ReadText,
) {
  const problems: string[] = []
  const known = new Set(['DATA_DIR'])
  const read = reader(env, problems, known)
  const roles = readRoles(roleArgs, problems)
  problems.push(...findMissing(env, roles))
  const openAi = readOwnKey(env, roles, read, problems)
  const hasToken = isSet(env, 'BOT_TOKEN')
  const config = {
    roles,
    telegram: {
      apiRoot: read('TELEGRAM_API_ROOT', kind.httpUrl),
      sendLimits: read('SEND_LIMITS', kind.sendLimits),
    },
    bot: {
      adminIds: read('ADMIN_IDS', kind.userIds) ?? new Set(hasToken ? [] : [PLAYGROUND_ADMIN_ID]),
      viewerIds: read('VIEWER_IDS', kind.userIds) ?? new Set(),
      // With a real token the bot spends its operator's money; the playground's spends none.
      allowedUserIds:
        read('ALLOWED_USER_IDS', kind.allowedUsers) ?? (hasToken ? new Set<number>() : 'everybody'),
      defaultModel: read('DEFAULT_MODEL', kind.text),
      systemPrompt: read('SYSTEM_PROMPT', kind.text),
      maxTokens: read('MAX_TOKENS', kind.whole('a whole number from 1', 1, 999_999_999)) ?? 4096,
      timeZone: read('TIME_ZONE', kind.timeZone) ?? machineTimeZone(),
      /** Label → micro-roubles, for a remote service that does not state its prices. */
      mediaPricesMicroRub: read('MEDIA_PRICES_RUB', kind.mediaPrices),
      budgetMicroRub: read('BUDGET_RUB', kind.budget),
      retention: read('BOT_RETENTION', kind.botRetention),
    },
    remoteServiceUrl: read('SERVICE_URL', kind.serviceUrl),
    serviceLimits: read('SERVICE_LIMITS', kind.serviceLimits) ?? kind.SERVICE_LIMITS,
    rootDir: findRootDir(env),
    /** The folder of all that is stored. A service alone on a DATABASE_URL may share its `media` with others. */
    dataDir: !roles.has('bot') && isSet(env, 'DATABASE_URL') ? findRootDir(env) : findDataDir(env),
    databaseUrl: read('DATABASE_URL', kind.databaseUrl),
    listen: {
      host: read('HOST', kind.text) ?? '127.0.0.1',
      port: read('PORT', kind.port) ?? 3000,
    },
    stop: {
      drainMs: 1000 * (read('DRAIN_SECONDS', kind.seconds(0)) ?? 0),
      stopMs: 1000 * (read('STOP_SECONDS', kind.seconds(1)) ?? 20),
    },
    playgroundPort: read('PLAYGROUND_PORT', kind.port) ?? 3001,
    trustedProxies: [...(read('TRUSTED_PROXIES', kind.networks) ?? [])],
    publicUrl: read('PUBLIC_URL', kind.httpUrl),
    /** The first offer of the service. With `openAi` it is empty until the upstream was asked. */
    service:
      read('SERVICE_CONFIG', (path) => {
        const file = readServiceFile(path, env, readText)
        return file.ok ? { value: file.config } : file
      }) ?? (openAi === undefined ? builtInServiceConfig() : emptyServiceConfig()),
    serviceFile: read('SERVICE_CONFIG', kind.text),
    openAi,
    notes: [] as string[],
    callbackAllow: read('CALLBACK_ALLOW', kind.allowedPairs) ?? new Set(),
    resultAllow: read('RESULT_ALLOW', kind.allowedPairs) ?? new Set(),
    corsOrigins: read('CORS_ORIGINS', kind.origins) ?? new Set(),
    logLevel: read('LOG_LEVEL', kind.oneOf(...LOG_LEVELS)) ?? 'info',
    /** Undefined means: for people on a terminal, for programs elsewhere. */
    logFormat: read('LOG_FORMAT', kind.oneOf('json', 'pretty')),
    secrets: {
      botToken: read('BOT_TOKEN', kind.botToken),
      serviceApiKey: read('SERVICE_API_KEY', kind.text),
      /** Set, Telegram sends the updates to `publicUrl`; otherwise they are fetched. */
      webhookSecret: read('WEBHOOK_SECRET', kind.webhookSecret),
      telegramProxies: read('TELEGRAM_PROXY', kind.proxies) ?? [],
      upstreamProxies: read('UPSTREAM_PROXY', kind.proxies) ?? [],
    },
  }
  if (problems.length > 0) throw new ConfigError(problems)
  config.notes.push(...findUnknown(env, new Set([...known, ...config.service.keys.keys()])))
  return config
}

/** Returns the time zone of a command that needs no other setting. @throws {ConfigError} If it is not a time zone. */
export function readTimeZone(env: Environment): string {
  const problems: string[] = []
  const read = reader(env, problems)('TIME_ZONE', kind.timeZone)
  if (problems.length > 0) throw new ConfigError(problems)
  return read ?? machineTimeZone()
}

function machineTimeZone(): string {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions()
  // The types leave out that it is undefined if TZ names no zone.
  return (zone as string | undefined) ?? 'UTC'
}

function readRoles(args: readonly string[], problems: string[]) {
  const roles = ROLES.filter((role) => args.includes(role))
  if (args.some((arg) => !ROLES.some((role) => role === arg))) {
    problems.push(
      `unknown role: ${writeCommand('start')} runs every role, ${writeCommand('start', 'bot')} or ${writeCommand('start', 'service')} one`,
    )
  }
  return new Set(roles.length > 0 ? roles : ROLES)
}

function* findMissing(env: Environment, roles: ReadonlySet<string>): Generator<string> {
  if (isSet(env, 'SERVICE_URL') !== isSet(env, 'SERVICE_API_KEY')) {
    yield 'SERVICE_URL and SERVICE_API_KEY: set both for a remote service, or neither'
  }
  if (isSet(env, 'WEBHOOK_SECRET') && !isSet(env, 'PUBLIC_URL')) {
    yield 'WEBHOOK_SECRET: needs PUBLIC_URL, the address to which Telegram sends updates'
  }
  const isWebhook = isSet(env, 'WEBHOOK_SECRET') && isSet(env, 'BOT_TOKEN')
  // A Bot API server of the operator's own may send anywhere.
  const root = isSet(env, 'TELEGRAM_API_ROOT') ? env.TELEGRAM_API_ROOT : TELEGRAM
  const isTelegrams = URL.parse(root ?? '')?.hostname === 'api.telegram.org'
  if (roles.has('bot') && isWebhook && isTelegrams && /^\s*http:/i.test(env.PUBLIC_URL ?? '')) {
    yield 'PUBLIC_URL: should be an https URL, Telegram sends updates to no other'
  }
  if (!roles.has('service') && !isSet(env, 'SERVICE_URL')) {
    yield 'SERVICE_URL: should be set when the bot runs alone, it needs a service to talk to'
  }
}

function readOwnKey(
  env: Environment,
  roles: ReadonlySet<string>,
  read: Read,
  problems: string[],
): own.OpenAiSettings | undefined {
  const apiKey = read('OPENAI_API_KEY', kind.openAiKey)
  const baseUrl = read('OPENAI_BASE_URL', kind.openAiBaseUrl) ?? own.OPENAI_BASE_URL
  const models = read('OPENAI_MODELS', kind.openAiModels)
  const prices = read('OPENAI_PRICES', kind.openAiPrices) ?? new Map()
  const usdRate = read('USD_RUB', kind.rate) ?? SHIPPED_USD_RATE
  if (!roles.has('service') || isSet(env, 'SERVICE_CONFIG')) return undefined
  if (!isSet(env, 'OPENAI_API_KEY') && !isSet(env, 'OPENAI_BASE_URL')) {
    const others = ['OPENAI_MODELS', 'OPENAI_PRICES', 'USD_RUB'].filter((name) => isSet(env, name))
    problems.push(...others.map((name) => `${name}: needs OPENAI_API_KEY or OPENAI_BASE_URL`))
    return undefined
  }
  if (!own.isLocal(baseUrl) && !isSet(env, 'OPENAI_API_KEY')) {
    problems.push(`OPENAI_API_KEY: should be set for ${new URL(baseUrl).host}`)
  }
  return { baseUrl, apiKey, models, prices, usdRate }
}
