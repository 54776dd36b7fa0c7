import { once } from 'node:events'
import type { Logger } from 'pino'
import { claimDatabase, type OwnBot } from '../../bot/claim-database.ts'
import type { ModelList } from '../../bot/models/models.ts'
import type { BuildInfo } from '../../platform/build-info.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { type Instance, registerInstance } from '../../platform/database/instance/instance.ts'
import {
  createNotifications,
  type Notifications,
} from '../../platform/database/instance/notifications.ts'
import { type Sweep, startSweep } from '../../platform/database/instance/sweep.ts'
import type { PrimaryWatch } from '../../platform/database/primary-watch.ts'
import { foldRepeats } from '../../platform/fold-repeats.ts'
import { createDueRows, type DueRows } from '../../platform/jobs/due-rows.ts'
import type { Lifecycle } from '../../platform/time/lifecycle.ts'
import type { Unsettled } from '../../service/chat/unsettled.ts'
import type { Config } from '../config/config.ts'
import type { Health } from '../health.ts'
import type { HttpListener } from '../http-listener.ts'
import type { OwnModels } from '../own-models.ts'
import type { ProcessMetrics } from '../process-metrics.ts'
import type { ProcessProxies } from '../process-proxies.ts'
import type { ServiceSettings } from '../service-settings.ts'

/** The address of the Bot API, and the bot's token. */
export interface Telegram {
  token: string
  apiRoot: string | undefined
  isPlayground: boolean
  pageUrl: string | undefined
}

/** The parts that outlive an epoch. */
export interface Ground {
  config: Config
  build: BuildInfo
  settings: ServiceSettings
  ownModels: OwnModels | undefined
  log: Logger
  databaseUrl: string
  /** What an epoch knows of the primary, the next one knows, too. */
  primary: PrimaryWatch
  ownBot: OwnBot | undefined
  health: Pick<Health, 'begin' | 'report'>
  metrics: ProcessMetrics
  listener: HttpListener
  /** The name of the data folder, if this process alone has it. */
  instanceName: string | undefined
  unsettled: Unsettled
  /** The models of the bot's service, which an epoch that begins while that is away knows from the one before. */
  modelList: ModelList
  proxies: ProcessProxies
  findTelegram: () => Promise<Telegram>
  operator: {
    write: (text: string) => void
    isAtTerminal: boolean
    open: (address: string) => void
  }
}

/** The parts that every role stands on. */
export interface Infrastructure {
  database: Database
  instance: Instance
  notifications: Notifications
  sweep: Sweep
  dueRows: DueRows
}

/**
 * Opens the database, and registers this process there.
 *
 * @throws {DatabaseRefusedError} If the database belongs to another bot.
 */
export async function openInfrastructure(
  { config, log, metrics, databaseUrl: url, primary, ownBot, instanceName: name }: Ground,
  lifecycle: Lifecycle,
): Promise<Infrastructure> {
  const troubles = foldRepeats(log)
  const onError = (error: Error) => troubles.error({ err: error }, 'database trouble')
  const onOtherSchema = (err: Error) =>
    log.error({ err }, 'the schema of the database is of another version: stop this process')
  const database = openDatabase({
    url,
    primary,
    onIdleError: onError,
    onOtherSchema,
    onWaited: metrics.connectionWaited,
  })
  lifecycle.add(() => database.close())
  // Another bot may have taken it over since the last epoch.
  if (ownBot !== undefined) await claimDatabase(database.pool, ownBot)
  const instance = await registerInstance({
    url,
    onError,
    name,
    primary,
    onSilence: database.suspend,
    onAnswer: database.resume,
    works: config.roles,
  })
  lifecycle.add(() => instance.release())
  const { pool } = database
  const notifications = createNotifications(instance.session)
  const sweep = startSweep({ notifications, log: troubles })
  lifecycle.add(() => sweep.stop())
  const dueRows = createDueRows({ pool, instance, notifications, sweep, log: troubles })
  return { database, instance, notifications, sweep, dueRows }
}

/** Rejects when the lease of the instance is lost; never resolves. */
export async function rejectWhenLost({ lost }: Pick<Instance, 'lost'>): Promise<never> {
  if (!lost.aborted) await once(lost, 'abort')
  throw lost.reason
}
