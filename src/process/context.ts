/**
 * The parts that all roles of a process need, opened once.
 *
 * In: the config and what `main.ts` made of it. Out: the context, whose parts `lifecycle` ends, the last opened first.
 * Invariants: a process has one lease; the embedded server and the playground end even if the process ends at once.
 */
import type { Client } from 'pg'
import type { Logger } from 'pino'
import { claimDatabase, type OwnBot, ownBotOf, refuseOtherBot } from '../bot/claim-database.ts'
import { claimDataDir } from '../platform/database/data-dir.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import { DatabaseRefusedError } from '../platform/database/database-refused.ts'
import { createDueRows, type DueRows } from '../platform/database/due-rows.ts'
import { startEmbeddedDatabase } from '../platform/database/embedded.ts'
import { type Instance, registerInstance } from '../platform/database/instance/instance.ts'
import type { Notifications } from '../platform/database/instance/session.ts'
import { type Sweep, startSweep } from '../platform/database/instance/sweep.ts'
import { migrate } from '../platform/database/migrate.ts'
import { isDatabaseTrouble } from '../platform/database/trouble.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import type { BuildInfo } from '../platform/installation.ts'
import { systemClock } from '../platform/time/clock.ts'
import { retry } from '../platform/time/retry.ts'
import { isDemo } from '../service/config/chat-config.ts'
import type { Config } from './config.ts'
import { createHealth, type Health } from './health.ts'
import { type HttpListener, openHttpListener } from './http-listener.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { OwnModels } from './own-models.ts'
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'
import type { ProcessProxies } from './process-proxies.ts'
import type { ServiceSettings } from './service-settings.ts'

/** How long a first start waits for a database that starts together with it. */
const DATABASE_MS_MAX = 10_000
const DATABASE_PAUSE_MS = 500

export interface StartContext {
  config: Config
  build: BuildInfo
  settings: ServiceSettings
  ownModels: OwnModels | undefined
  proxies: ProcessProxies
  log: Logger
  lifecycle: Lifecycle
  /** Its parts end even if the process ends at once. */
  foundation: Lifecycle
  isAtTerminal: boolean
  isReplacement: boolean
  onLost: () => void
}

export interface Telegram {
  token: string
  apiRoot: string | undefined
  isPlayground: boolean
  pageUrl: string | undefined
}

export interface ProcessContext extends StartContext {
  health: Health
  metrics: ProcessMetrics
  listener: HttpListener
  database: Database
  instance: Instance
  notifications: Notifications
  sweep: Sweep
  dueRows: DueRows
  telegram: Telegram | undefined
}

export async function openContext(start: StartContext): Promise<ProcessContext> {
  const { config, build, proxies, log, lifecycle, foundation } = start
  const metrics = createProcessMetrics(build)
  const { isStopping } = lifecycle
  const health = createHealth({ isStopping, version: build.version, proxies })
  const listener = await openHttpListener({ ...config.listen, health })
  lifecycle.add(listener.close)
  lifecycle.add(foundation.stop)
  const name = await claimName(start)
  const url = config.databaseUrl ?? (await openEmbedded(start))
  const hasBot = config.roles.has('bot')
  const ownBot = hasBot ? ownBotOf(config.secrets.botToken) : undefined
  await migrateWhenThere(url, ownBot, start)
  const telegram = hasBot ? await openTelegram(start) : undefined
  const troubles = foldRepeats(log)
  const onError = (err: Error) => troubles.error({ err }, 'database trouble')
  const { connectionWaited: onWaited } = metrics
  const database = openDatabase({ url, onIdleError: onError, onWaited })
  lifecycle.add(database.close)
  const { pool } = database
  if (ownBot !== undefined) await claimDatabase(pool, ownBot)
  const instance = await registerInstance({
    url,
    onError,
    name,
    onSilence: database.suspend,
    onAnswer: database.resume,
    works: config.roles,
  })
  lifecycle.add(instance.release)
  instance.lost.addEventListener('abort', start.onLost)
  const notifications = instance.session
  const sweep = startSweep(notifications, troubles)
  lifecycle.add(sweep.stop)
  const dueRows = createDueRows({ pool, instance, notifications, sweep, log: troubles })
  const opened = { health, metrics, listener, telegram }
  return { ...start, ...opened, database, instance, notifications, sweep, dueRows }
}

/** A process that replaced itself waits without a limit: its database is there again sooner or later. */
async function migrateWhenThere(
  url: string,
  ownBot: OwnBot | undefined,
  { log, isReplacement }: StartContext,
): Promise<void> {
  const untilMs = systemClock.now() + (isReplacement ? Number.POSITIVE_INFINITY : DATABASE_MS_MAX)
  const howLong = isReplacement ? 'until it succeeds' : `for ${DATABASE_MS_MAX / 1000} s`
  const judge = async (client: Client) => {
    if (ownBot !== undefined) await refuseOtherBot(client, ownBot)
  }
  const applied = await retry(() => migrate(url, { judge }), {
    clock: systemClock,
    delayAfter(error, attempts) {
      const isRefusal = error instanceof DatabaseRefusedError
      const mayPass = isReplacement
        ? isRefusal || isDatabaseTrouble(error)
        : isRefusal && error.mayPass
      if (!mayPass || systemClock.now() >= untilMs) return undefined
      if (attempts === 1) log.warn(`${(error as Error).message}; it is tried again ${howLong}`)
      return DATABASE_PAUSE_MS
    },
  })
  if (applied.length > 0) log.info({ applied }, 'database migrated')
}

/** @returns Undefined if another process has the folder, or if nothing of this process needs it. */
async function claimName({ config, log, lifecycle }: StartContext): Promise<string | undefined> {
  try {
    const claim = await claimDataDir(config.dataDir, config.roles)
    if (claim !== undefined) lifecycle.add(claim.release)
    return claim?.name
  } catch (err) {
    if (config.databaseUrl === undefined) throw err
    log.warn({ err }, 'data folder not claimed: a start after a crash waits for the lease')
    return undefined
  }
}

async function openEmbedded({ config, log, foundation }: StartContext): Promise<string> {
  if (foundation.isStopping()) throw new Error('Cannot start: the process is stopping')
  const stopping = new AbortController()
  const troubles = foldRepeats(log)
  const starting = startEmbeddedDatabase({
    dataDir: config.dataDir,
    signal: stopping.signal,
    onTrouble: (err) => troubles.error({ err }, 'embedded database trouble'),
  })
  foundation.add(async (timeoutMs) => {
    stopping.abort()
    // A server that did not start does not run, and its caller has the error.
    const embedded = await starting.catch(() => undefined)
    await embedded?.stop(timeoutMs)
  })
  return (await starting).url
}

async function openTelegram(start: StartContext): Promise<Telegram> {
  const { config, settings, log, foundation } = start
  const { botToken: token } = config.secrets
  const { apiRoot } = config.telegram
  if (token !== undefined) return { token, apiRoot, isPlayground: false, pageUrl: undefined }
  const { openPlayground } = await import('../playground/open-playground.ts')
  const troubles = foldRepeats(log)
  const { playground, ...opened } = await openPlayground({
    host: config.listen.host,
    port: config.playgroundPort,
    folder: config.dataDir,
    // A playground whose folder was removed forgets everything, but the bot's database does not: seconds never come again.
    idsFrom: Math.floor((Date.now() - Date.UTC(2026, 0)) / 1000),
    isDemo: () => config.remoteServiceUrl === undefined && isDemo(settings.current().chat),
    log: (line) => log.warn(line),
    onTrouble: (err) => troubles.error({ err }, 'playground trouble'),
  })
  // It ends after the roles: the bot shows the ends of its replies there.
  foundation.add(() => playground.close())
  return { token: playground.token, isPlayground: true, ...opened }
}
