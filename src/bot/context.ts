import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ServiceClient } from '../contract/client/service-client.ts'
import type { Database } from '../platform/database/database.ts'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { Instance } from '../platform/database/instance/instance.ts'
import type { Notifications } from '../platform/database/instance/session.ts'
import type { Sweep } from '../platform/database/instance/sweep.ts'
import type { Proxies } from '../platform/http/proxies.ts'
import type { AllowedPair } from '../platform/http/url-guard.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Alerts } from './admin/alerts.ts'
import type { PageAddress } from './admin/page/visit.ts'
import type { BotRetention } from './housekeeping.ts'
import type { AgainButtons } from './media/again.ts'
import type { Pictures } from './media/pictures.ts'
import type { MediaPrices } from './media/prices.ts'
import type { StoredPictures } from './media/stored-pictures.ts'
import type { Models } from './models.ts'
import type { Access, AccessSettings } from './people/access.ts'
import type { Roles } from './people/roles.ts'
import type { OpenQueue } from './queue.ts'
import type { ServiceLimits } from './rate-limit.ts'
import type { SpendParts } from './spend/spend.ts'
import type { StoredSettings } from './stored-settings.ts'
import type { TelegramWay } from './telegram/api.ts'
import type { FileDownload } from './telegram/download-file.ts'
import type { RichSupport } from './telegram/formatting.ts'
import type { SendLimits } from './telegram/pace.ts'
import type { Outbox } from './telegram/send.ts'
import type { NotifyPress } from './telegram/shortcuts.ts'
import type { TelegramClock } from './telegram/telegram-clock.ts'
import type { Texts } from './texts/texts.ts'

export interface BotSettings extends AccessSettings {
  /** The first listed model if it is missing. */
  defaultModel?: string | undefined
  systemPrompt?: string | undefined
  maxTokens: number
  timeZone: string
  mediaPricesMicroRub?: ReadonlyMap<string, bigint> | undefined
  /** True if the service runs in this process: costs are the operator's own money, and no account limits them. */
  spendsOwnMoney?: boolean | undefined
  budgetMicroRub?: bigint | undefined
  retention?: BotRetention | undefined
}

export interface BotDeps extends TelegramWay {
  token: string
  /** Without it the bot polls for updates. */
  webhook?: { publicUrl: string; secret: string } | undefined
  database: Pick<Database, 'pool'>
  prisma: PrismaClient
  instance: Instance
  notifications: Notifications
  sweep: Pick<Sweep, 'add'>
  service: ServiceClient
  isServiceInside?: boolean
  storedPictures: Pick<StoredPictures, 'keep' | 'findFile' | 'purge'>
  settings: BotSettings
  log: Logger
  clock?: Clock
  /** Root at which the service can reach this process, without a trailing slash; undefined if it cannot now. */
  pictureRoot: () => string | undefined
  callbackRoot: string | undefined
  publicUrl?: string | undefined
  localRoot: string
  isPlayground?: boolean
  resultAllow: ReadonlySet<AllowedPair>
  serviceProxies?: Proxies | undefined
  limits?: SendLimits | undefined
  serviceLimits: ServiceLimits
  onTelegramAnswer?: () => void
}

/** The parts of the bot that its folders use, built once in `bot.ts`. */
export interface App {
  prisma: PrismaClient
  pool: Pool
  leaseOwner: number
  notifications: Notifications
  sweep: Pick<Sweep, 'add'>
  service: ServiceClient
  settings: BotSettings
  timeZone: string
  texts: Texts
  outbox: Outbox
  richSupport: RichSupport
  notifyPress: NotifyPress
  downloads: FileDownload
  access: Access
  roles: Roles
  storedSettings: StoredSettings
  page: PageAddress
  models: Models
  prices: MediaPrices
  againButtons: AgainButtons
  pictures: Pictures
  spend: SpendParts
  openQueue: OpenQueue
  alerts: Alerts
  telegramNow: TelegramClock['now']
  clock: Clock
  log: Logger
  /** Aborted when handlers have to end at once. */
  signal: AbortSignal
}
