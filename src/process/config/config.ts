/**
 * Reads the environment into a typed config.
 * In: the variables, and the roles of the command line. Out: the config with its notes to the operator, or every problem.
 * It is one table: each variable is a line of `readConfig()`, with its parser and its default; the parsers are in
 * `variables.ts`, the operator's own key is read in `own-key.ts`.
 */
import { findDataDir, findRootDir } from '../../platform/database/data-dir.ts'
import { isThisMachine, parseProxies } from '../../platform/http/proxies.ts'
import { MendableError } from '../../platform/mendable.ts'
import { writeCommand } from '../../platform/write-command.ts'
import {
  builtInServiceConfig,
  emptyServiceConfig,
  type ReadText,
  readServiceFile,
} from '../../service/config/service-config.ts'
import { describeUnknown, findUnknown } from './environment.ts'
import { noteOwnKey, OPENAI_VARIABLES, readOwnKey, usdRate } from './own-key.ts'
import * as parse from './variables.ts'
import { type Environment, isSet, reader } from './variables.ts'

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
  const roles = readRoles(roleArgs, problems)
  problems.push(...findMissing(env, roles))
  const openAi =
    roles.has('service') && !isSet(env, 'SERVICE_CONFIG') ? readOwnKey(env, problems) : undefined
  // The file's reader takes it from the environment.
  if (isSet(env, 'SERVICE_CONFIG')) read('USD_RUB', usdRate)
  const hasToken = isSet(env, 'BOT_TOKEN')
  const config = {
    roles,
    telegram: {
      apiRoot: read('TELEGRAM_API_ROOT', parse.httpUrl),
      sendLimits: read('SEND_LIMITS', parse.sendLimits),
    },
    access: {
      adminIds: read('ADMIN_IDS', parse.userIds) ?? new Set(hasToken ? [] : [PLAYGROUND_ADMIN_ID]),
      viewerIds: read('VIEWER_IDS', parse.userIds) ?? new Set(),
      /** The users who are let in. With a real token the bot spends its operator's money; the playground's spends none. */
      allowedUserIds:
        read('ALLOWED_USER_IDS', parse.allowedUsers) ??
        (hasToken ? new Set<number>() : 'everybody'),
    },
    /** A remote service; undefined means the embedded one. */
    remoteServiceUrl: read('SERVICE_URL', parse.serviceUrl),
    serviceLimits: read('SERVICE_LIMITS', parse.serviceLimits) ?? parse.SERVICE_LIMITS,
    rootDir: findRootDir(env),
    /** The folder of all that is stored. A service alone on a DATABASE_URL may share its `media` with others. */
    dataDir: !roles.has('bot') && isSet(env, 'DATABASE_URL') ? findRootDir(env) : findDataDir(env),
    databaseUrl: read('DATABASE_URL', parse.postgresUrl),
    listen: {
      host: read('HOST', parse.text) ?? '127.0.0.1',
      port: read('PORT', parse.port) ?? 3000,
    },
    stop: {
      drainMs: 1000 * (read('DRAIN_SECONDS', parse.seconds(0)) ?? 0),
      stopMs: 1000 * (read('STOP_SECONDS', parse.seconds(1)) ?? 20),
    },
    playgroundPort: read('PLAYGROUND_PORT', parse.port) ?? 3001,
    trustedProxies: [...(read('TRUSTED_PROXIES', parse.trustedProxies) ?? [])],
    /** Root under which others reach this process; undefined means its own address. */
    publicUrl: read('PUBLIC_URL', parse.httpUrl),
    /** The first offer of the service. With `openAi` it is empty until the upstream was asked. */
    service:
      read('SERVICE_CONFIG', (path) => {
        const file = readServiceFile(path, env, readText)
        return file.ok ? { value: file.config } : file
      }) ?? (openAi === undefined ? builtInServiceConfig() : emptyServiceConfig()),
    serviceFile: read('SERVICE_CONFIG', parse.text),
    openAi,
    notes: [...noteOwnKey(env, roles, openAi), ...noteUnusedProxy(env, roles)],
    callbackAllow: read('CALLBACK_ALLOW', parse.allowedPairs) ?? new Set(),
    resultAllow: read('RESULT_ALLOW', parse.allowedPairs) ?? new Set(),
    corsOrigins: read('CORS_ORIGINS', parse.origins) ?? new Set(),
    /** Label → micro-roubles, for a remote service that does not state its prices. */
    mediaPricesMicroRub: read('CLIP_PRICES_RUB', parse.mediaPrices),
    chat: {
      defaultModel: read('DEFAULT_MODEL', parse.text),
      systemPrompt: read('SYSTEM_PROMPT', parse.text),
      maxTokens: read('MAX_TOKENS', parse.positiveInteger) ?? 4096,
      timeZone: read('TIME_ZONE', parse.timeZone) ?? machineTimeZone(),
    },
    botRetention: read('BOT_RETENTION', parse.botRetention),
    budgetMicroRub: read('BUDGET_RUB', parse.budgetRub),
    logLevel:
      read(
        'LOG_LEVEL',
        parse.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      ) ?? 'info',
    /** Undefined means: for people on a terminal, for programs elsewhere. */
    logFormat: read('LOG_FORMAT', parse.oneOf('json', 'pretty')),
    secrets: {
      botToken: read('BOT_TOKEN', parse.botToken),
      serviceApiKey: read('SERVICE_API_KEY', parse.text),
      /** Set, Telegram sends the updates to `publicUrl`; otherwise they are fetched. */
      webhookSecret: read('WEBHOOK_SECRET', parse.webhookSecret),
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

/** Returns the time zone of a command that needs no other setting. @throws {ConfigError} If it is not a time zone. */
export function readTimeZone(env: Environment): string {
  const problems: string[] = []
  const read = reader(env, problems)('TIME_ZONE', parse.timeZone)
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
  if (!roles.has('service') && !isSet(env, 'SERVICE_URL')) {
    yield 'SERVICE_URL: should be set when the bot runs alone, it needs a service to talk to'
  }
}

/** A Bot API server of the operator's own may send anywhere. */
function isWebhookInPlainHttp({
  roles,
  secrets: { botToken, webhookSecret },
  publicUrl = '',
  telegram: { apiRoot = 'https://api.telegram.org' },
}: Pick<Config, 'roles' | 'secrets' | 'publicUrl' | 'telegram'>): boolean {
  const isWebhook = roles.has('bot') && botToken !== undefined && webhookSecret !== undefined
  const isTelegramsOwn = new URL(apiRoot).hostname === 'api.telegram.org'
  return isWebhook && isTelegramsOwn && URL.parse(publicUrl)?.protocol === 'http:'
}

/** If Telegram's place is on this machine, no proxy leads there. */
function* noteUnusedProxy(env: Environment, roles: ReadonlySet<string>): Generator<string> {
  if (!roles.has('bot') || !isSet(env, 'TELEGRAM_PROXY')) return
  const root = URL.parse(env.TELEGRAM_API_ROOT?.trim() ?? '')
  if (!isSet(env, 'BOT_TOKEN')) {
    yield 'the playground stands in for Telegram without BOT_TOKEN: TELEGRAM_PROXY is not used'
  } else if (root !== null && isThisMachine(root.hostname)) {
    yield 'TELEGRAM_API_ROOT is on this machine: TELEGRAM_PROXY is not used'
  }
}
