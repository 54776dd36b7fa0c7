// Takes and ends reservations of turns in a closed loop, in a process of its own, and reports how long each took. The
// contenders have it by turns of a moment each, so that what changes on the machine meanwhile meets all alike.

import type { Checkout } from '../../checkout.ts'
import { importFrom } from '../../checkout.ts'
import { percentile } from '../../measuring/percentiles.ts'
import type { ReservationsFigures, ReservationsOf, ReservationsTask } from './reservations-task.ts'

type Reservations = typeof import('../../../../src/bot/spend/limits/reserve.ts')
type Releases = typeof import('../../../../src/bot/spend/charges/release-reservations.ts')
type Calendars = typeof import('../../../../src/bot/spend/calendar.ts')
type Databases = typeof import('../../../../src/platform/database/database.ts')
type Clients = typeof import('../../../../src/platform/database/prisma.ts')
type Generated = typeof import('../../../../src/platform/database/generated/client.ts')
type Reserve = ReturnType<Reservations['createReserve']>['reserve']

const CONNECTIONS = 20
/** From the sixth on PostgreSQL keeps a statement's plan, on each connection for itself. */
const WARM_UP_ASKS = 8
const AMOUNT_MICRO_RUB = 2_000_000n
const LEAST_MICRO_RUB = 100_000n

/** Reserves and releases once. @returns How long the reservation took. */
type Ask = (userId: number) => Promise<number>

const task = JSON.parse(process.env.TASK ?? '') as ReservationsTask
let lastId = 0n
const loops = await Promise.all(task.contenders.map(createLoop))
for (const { ask } of loops) await warmUp(ask)
for (let slice = 0; slice < task.slices; slice += 1) {
  for (const { ask, tookMs } of loops) tookMs.push(...(await runFor(ask)))
}
for (const { close } of loops) await close()
const figures: Record<string, ReservationsFigures> = Object.fromEntries(
  loops.map(({ name, tookMs }) => [
    name,
    { count: tookMs.length, medianMs: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) },
  ]),
)
process.stdout.write(`${JSON.stringify({ msg: 'ready', figures })}\n`)

async function warmUp(ask: Ask): Promise<void> {
  for (let asked = 0; asked < WARM_UP_ASKS; asked += 1) {
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, userId) => ask(userId + 1)))
  }
}

async function runFor(ask: Ask): Promise<number[]> {
  const endsAt = performance.now() + task.sliceMs
  const tookMs: number[] = []
  const work = async () => {
    while (performance.now() < endsAt) {
      tookMs.push(await ask(task.userIds[tookMs.length % task.userIds.length] ?? 0))
    }
  }
  await Promise.all(Array.from({ length: task.atOnce }, work))
  return tookMs
}

async function createLoop({ name, checkout, databaseUrl }: ReservationsOf) {
  const from = <Module>(path: string) => importFrom<Module>(checkout, `src/${path}`)
  const { openDatabase } = await from<Databases>('platform/database/database.ts')
  const { openPrisma } = await from<Clients>('platform/database/prisma.ts')
  const { Prisma } = await from<Generated>('platform/database/generated/client.ts')
  const { createCalendar } = await from<Calendars>('bot/spend/calendar.ts')
  const { releaseReservations } = await from<Releases>('bot/spend/charges/release-reservations.ts')
  const database = openDatabase({ url: databaseUrl, connectionsMax: CONNECTIONS })
  const prisma = openPrisma(database.pool)
  const calendar = createCalendar({ timeZone: 'Europe/Moscow' })
  const reserve = await createReserveOf(checkout, { calendar, adminIds: new Set() })
  const ask: Ask = async (userId) => {
    const id = ++lastId
    const asker = Prisma.sql`SELECT ${userId}::bigint AS user_id, ${userId}::bigint AS chat_id`
    const amounts = { amountMicroRub: AMOUNT_MICRO_RUB, leastMicroRub: LEAST_MICRO_RUB }
    const startedAt = performance.now()
    const { status } = await reserve(prisma, { kind: 'turn', id, asker, ...amounts })
    const tookMs = performance.now() - startedAt
    if (status !== 'reserved') throw new Error(`A reservation was ${status}`)
    await releaseReservations(prisma, Prisma.sql`kind = 'turn' AND id = ${id}`)
    return tookMs
  }
  const close = async () => {
    await prisma.$disconnect()
    await database.close()
  }
  return { name, ask, tookMs: [] as number[], close }
}

/** A checkout without a limit for everybody has one way to reserve. */
async function createReserveOf(
  checkout: Checkout,
  deps: Parameters<Reservations['createReserve']>[0],
): Promise<Reserve> {
  const path = 'src/bot/spend/limits/reserve.ts'
  const { createReserve } = await importFrom<{ createReserve(given: typeof deps): unknown }>(
    checkout,
    path,
  )
  const created = createReserve(deps)
  return typeof created === 'function'
    ? (created as Reserve)
    : (created as ReturnType<Reservations['createReserve']>).reserve
}
