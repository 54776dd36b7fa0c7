import type { Pool } from 'pg'
import { pino } from 'pino'
import { createAgainButtons } from '../../../src/bot/media/again.ts'
import { fetchResult } from '../../../src/bot/media/fetch-result.ts'
import type { OrdersApp } from '../../../src/bot/media/orders-app.ts'
import { ServiceQueue } from '../../../src/bot/queue.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { MEDIA_KINDS } from '../../../src/contract/tasks.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { limitsInUtc } from '../spend/limits-setup.ts'

export const OURS = 7

/** The parts that orders need, on the days of UTC. A test gives the service and Telegram if it reaches them. */
export function createOrdersApp(
  database: { prisma: PrismaClient; pool: Pool },
  { perMinute = 100, ...parts }: Partial<OrdersApp> & { perMinute?: number } = {},
): OrdersApp {
  const texts = createTexts()
  const { prisma, pool } = database
  return {
    prisma,
    pool,
    leaseOwner: OURS,
    service: {} as OrdersApp['service'],
    outbox: {} as OrdersApp['outbox'],
    texts,
    openQueue: (_kind, signal) =>
      new ServiceQueue({ limit: perMinute, clock: systemClock, signal }),
    alerts: { observe: () => {}, report: () => {} },
    spend: {
      calendar: createCalendar({ timeZone: 'UTC' }),
      limits: limitsInUtc(prisma),
      warnOfLimits: async () => {},
    },
    againButtons: createAgainButtons({
      prices: { kinds: () => MEDIA_KINDS },
      texts,
    }),
    rules: new StoredSettings(prisma),
    notifications: { listen: () => {} },
    sweep: { add: async (takeOver) => void (await takeOver()) },
    callbackRoot: undefined,
    guard: { allow: new Set() },
    fetchResult,
    // Each result is announced, as that of an order which took its time.
    timings: { pollMs: 50, redeliverMs: 50, statusMs: 50, cancelMs: 20, inPlaceMs: 0 },
    clock: systemClock,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    ...parts,
  }
}
