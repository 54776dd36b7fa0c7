import type { Logger } from 'pino'
import type { ServiceClient } from '../client/service-client.ts'
import type { Database } from '../database/database.ts'
import type { Instance } from '../database/instance.ts'
import type { Jobs } from '../jobs/jobs.ts'

export interface BotSettings {
  adminIds: ReadonlySet<number>
  /** Nobody listed means everybody is welcome. */
  allowedUserIds: ReadonlySet<number>
  /** The first listed model where it is missing. */
  defaultModel?: string | undefined
  systemPrompt?: string | undefined
  maxTokens: number
  timeZone: string
  /** Price of each clip by its label, for a service that does not tell. */
  clipPricesMicroRub?: ReadonlyMap<string, bigint> | undefined
}

export interface BotDeps {
  token: string
  /** Telegram's own where it is missing. No trailing slash. */
  apiRoot?: string | undefined
  database: Database
  instance: Instance
  jobs: Jobs
  service: ServiceClient
  settings: BotSettings
  log: Logger
}

export interface Bot {
  /** Takes up the updates of the last run, then receives new ones. */
  start(): Promise<void>
  /** Takes no more updates; what runs may finish within the time-out, the rest stays stored. */
  stop(timeoutMs: number): Promise<void>
}
