/** An order as its run sees it, why it may fail, and the parts of the bot that the life of an order needs. */
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import type { MediaKind } from '../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { Notifications } from '../../platform/database/instance/session.ts'
import type { Sweep } from '../../platform/database/instance/sweep.ts'
import type { UrlGuard } from '../../platform/http/url-guard.ts'
import type { Age, Clock } from '../../platform/time/clock.ts'
import type { OpenQueue } from '../queue.ts'
import type { SpendParts } from '../spend/spend.ts'
import type { Outbox, ShownAs } from '../telegram/send.ts'
import { shorten } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { fetchResult } from './fetch-result.ts'

export const ORDER_RELATIONS = {
  user: { select: { language: true, languageCode: true } },
} as const

/** Ages are by the database's clock. */
export type Order = Prisma.OrderGetPayload<{ include: typeof ORDER_RELATIONS }> & {
  ageMs: Age
  /** How long it has been made; 0 before. */
  madeForMs: Age
}

export type ButtonedOrder = Pick<Order, 'id' | 'kind' | 'params' | 'deliveredFiles' | 'user'>

export interface OrderTimings {
  pollMs: number
  redeliverMs: number
  statusMs: number
  cancelMs: number
  /** A result within this time replaces its order's message, which its user still sees. */
  inPlaceMs: number
}

export interface OrdersApp {
  prisma: PrismaClient
  pool: Pool
  leaseOwner: number
  outbox: Outbox
  texts: Texts
  openQueue: OpenQueue
  clock: Clock
  log: Logger
  service: Pick<ServiceClient, 'createTask' | 'task' | 'balance'>
  alerts: {
    observe(kind: MediaKind, error: unknown): void
    report(trouble: 'order_written_off'): void
  }
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
  /** Undefined if the service cannot reach this process. */
  callbackRoot: string | undefined
  guard: UrlGuard
  fetchResult: typeof fetchResult
  timings: OrderTimings
}

export type DeliveredFiles = { type: ShownAs; fileId: string }[]

/** Returns none if the results were shown as links: `resultUrls` has them. */
export function deliveredFilesOf({ deliveredFiles }: { deliveredFiles: unknown }): DeliveredFiles {
  return deliveredFiles as DeliveredFiles
}

const FAILURE_CHARS_MAX = 300

export interface OrderFailure {
  /** HTTP status of a refused creation, or the code of a failed task. Codes below zero are ours. */
  code: number
  /** The service's own words; shown to the user, never logged. */
  message?: string | undefined
  /**
   * `estimated`: the service may have charged. `reversal`: the service refunds the price. `write_off`: the user pays
   * nothing although the service keeps the price. `kept`: the result exists, but could not be shown.
   */
  money: 'none' | 'estimated' | 'reversal' | 'write_off' | 'kept'
  /** The user cannot be reached, so that the order ends with it. */
  isEnd?: true
}

/** There may be a task: the service did not say. */
export const OUTCOME_UNKNOWN: OrderFailure = { code: -1, money: 'estimated' }
export const OVERDUE: OrderFailure = { code: -2, money: 'write_off' }
export const TASK_LOST: OrderFailure = { code: -3, money: 'write_off' }
export const UNDELIVERABLE: OrderFailure = { code: -4, money: 'write_off' }
/** The result exists, and its chat accepted nothing for a month: the service keeps the price, and so do we. */
export const CHAT_UNREACHABLE: OrderFailure = { code: -5, money: 'kept', isEnd: true }
export const CHAT_UNREACHABLE_EARLY: OrderFailure = { code: -6, money: 'none', isEnd: true }

export function refused(status: number, detail?: string): OrderFailure {
  return { code: status, message: cut(detail), money: 'none' }
}

/** The service refunds the price, and so do we. */
export function taskFailed({ code, message }: { code: number; message: string }): OrderFailure {
  return { code, message: cut(message), money: 'reversal' }
}

function cut(text = ''): string | undefined {
  return shorten(text.trim(), FAILURE_CHARS_MAX) || undefined
}
