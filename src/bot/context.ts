import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ServiceClient } from '../contract/client/service-client.ts'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Alerts } from './admin/alerts.ts'
import type { BotSettings } from './bot-deps.ts'
import type { Models } from './models.ts'
import type { OpenQueue } from './queue.ts'
import type { SpendParts } from './spend/spend.ts'
import type { RichSupport } from './telegram/formatting.ts'
import type { Outbox } from './telegram/send.ts'
import type { TelegramClock } from './telegram/telegram-clock.ts'
import type { Texts } from './texts/texts.ts'

/** The parts of the bot that its modules use, built once in `bot.ts`. */
export interface App {
  prisma: PrismaClient
  pool: Pool
  /** The id of this process, which the rows that it works on name. */
  leaseOwner: number
  service: Pick<ServiceClient, 'streamChat'>
  outbox: Outbox
  richSupport: RichSupport
  texts: Texts
  models: Models
  spend: SpendParts
  openQueue: OpenQueue
  alerts: Pick<Alerts, 'observe'>
  settings: Pick<BotSettings, 'systemPrompt' | 'maxTokens'>
  telegramNow: TelegramClock['now']
  clock: Clock
  log: Logger
}
