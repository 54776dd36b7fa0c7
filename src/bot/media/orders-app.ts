/** An order as its run sees it, and the parts of the bot that the life of an order needs. */
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { Notifications } from '../../platform/database/instance/session.ts'
import type { Sweep } from '../../platform/database/instance/sweep.ts'
import type { UrlGuard } from '../../platform/http/url-guard.ts'
import type { Age, Clock } from '../../platform/time/clock.ts'
import type { AdminAlerts } from '../admin/alert-admins.ts'
import type { OpenQueue } from '../queue.ts'
import type { SpendParts } from '../spend/spend.ts'
import type { Outbox, ShownAs } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { fetchResult } from './fetch-result.ts'

export const ORDER_RELATIONS = {
  user: { select: { language: true, languageCode: true } },
} as const

/** An order with its user's language, and its ages by the database's clock. */
export type Order = Prisma.OrderGetPayload<{ include: typeof ORDER_RELATIONS }> & {
  ageMs: Age
  /** How long it has been made; 0 before. */
  madeForMs: Age
}

/** The fields of an order that decide which buttons are below its result. */
export type ButtonedOrder = Pick<Order, 'id' | 'kind' | 'params' | 'deliveredFiles' | 'user'>

/** Waits in the life of an order. */
export interface OrderTimings {
  pollMs: number
  redeliverMs: number
  statusMs: number
  cancelMs: number
  /** A result within this time replaces its order's message, which its user still sees. */
  inPlaceMs: number
}

/** The parts of the bot that orders use. */
export interface OrdersApp {
  prisma: PrismaClient
  pool: Pool
  /** The id of this process, which the rows that it works on name. */
  leaseOwner: number
  outbox: Outbox
  texts: Texts
  openQueue: OpenQueue
  clock: Clock
  log: Logger
  service: Pick<ServiceClient, 'createTask' | 'task' | 'balance'>
  alerts: Pick<AdminAlerts, 'observe' | 'report'>
  spend: Pick<SpendParts, 'calendar' | 'warnOfLimits'> & {
    limits: Pick<SpendParts['limits'], 'reserve'>
  }
  againButtons: {
    belowResult(order: ButtonedOrder): InlineKeyboardMarkup
    belowFailure(order: ButtonedOrder): InlineKeyboardMarkup
  }
  rules: { read(): Promise<{ parallelMax: number; deadlineMs: number }> }
  notifications: Pick<Notifications, 'listen'>
  sweep: Pick<Sweep, 'add'>
  /** The root at which the service reports the ends of tasks; undefined if it cannot reach this process. */
  callbackRoot: string | undefined
  guard: UrlGuard
  fetchResult: typeof fetchResult
  timings: OrderTimings
}

export type DeliveredFiles = { type: ShownAs; fileId: string }[]

/**
 * Returns the results of an order as Telegram holds them: they can be sent again at no cost. None if they were shown as
 * links: `resultUrls` has them.
 */
export function deliveredFilesOf({ deliveredFiles }: { deliveredFiles: unknown }): DeliveredFiles {
  return deliveredFiles as DeliveredFiles
}
