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
import type { BotRetention } from './housekeeping.ts'
import type { StoredPictures } from './media/stored-pictures.ts'
import type { AccessSettings } from './people/access.ts'
import type { ServiceLimits } from './rate-limit.ts'
import type { TelegramWay } from './telegram/api.ts'
import type { SendLimits } from './telegram/pace.ts'

/** What an operator set. */
export interface BotSettings extends AccessSettings {
  /** The first listed model where it is missing. */
  defaultModel?: string | undefined
  systemPrompt?: string | undefined
  maxTokens: number
  timeZone: string
  mediaPricesMicroRub?: ReadonlyMap<string, bigint> | undefined
  /** True if the service is of the same process: what it costs is the operator's own money, and no account bounds it. */
  spendsOwnMoney?: boolean | undefined
  budgetMicroRub?: bigint | undefined
  retention?: BotRetention | undefined
}

/** What the process gives its bot. */
export interface BotDeps extends TelegramWay {
  token: string
  /** The address to which Telegram sends updates; without it they are fetched. */
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
  /**
   * The roots where the service finds this process: without a slash at the end, undefined where it cannot
   * just now.
   */
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
