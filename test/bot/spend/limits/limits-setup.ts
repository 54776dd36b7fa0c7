import { afterAll, beforeAll } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { recordCharges } from '../../../../src/bot/spend/charges/record-charges.ts'
import { releaseReservations } from '../../../../src/bot/spend/charges/release-reservations.ts'
import { createLimits, type LimitOf } from '../../../../src/bot/spend/limits/limits.ts'
import { createReserve } from '../../../../src/bot/spend/limits/reserve.ts'
import { Prisma } from '../../../../src/platform/database/generated/client.ts'
import type {
  LimitPeriod,
  ReservationKind,
} from '../../../../src/platform/database/generated/enums.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestClock, type TestClock } from '../../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

export const ADMIN = 1
export const RUB = 1_000_000n

/** A user, and the chat in which they ask: their own where there is none. */
export interface Asker {
  userId: number
  chatId?: number
}

export let clock: TestClock

/** Two processes on one database, each with connections of its own. */
export const processes: TestDatabase[] = []

let lastId = 0n

interface Reserving {
  id?: bigint
  process?: number
  leastMicroRub?: bigint
  kind?: ReservationKind
}

/** Has a file's tests run on a database whose time they move. */
export function useLimits(timeZone = 'Europe/Moscow') {
  beforeAll(async () => {
    const url = await createTestDatabase()
    clock = await createTestClock(url)
    processes.push(openTestDatabase({ url, connectionsMax: 10 }))
    processes.push(openTestDatabase({ url, connectionsMax: 10 }))
  })
  afterAll(() => Promise.all(processes.splice(0).map((database) => database.close())))
  const calendar = createCalendar({ timeZone })
  const adminIds = new Set([ADMIN])
  const reached: LimitPeriod[] = []
  const reserving = createReserve({
    calendar,
    adminIds,
    onEverybodyReached: (period) => void reached.push(period),
  })
  return {
    calendar,
    adminIds,
    reached,
    limits,
    setLimit,
    reserve,
    charge,
    release,
    counters,
    nextId,
  }

  function prismaOf(index: number) {
    const database = processes[index % processes.length]
    if (database === undefined) throw new Error('There are no processes yet')
    return database.prisma
  }

  function limits(budgetMicroRub?: bigint) {
    return createLimits({ prisma: prismaOf(0), calendar, adminIds, budgetMicroRub })
  }

  function setLimit(limit: LimitOf, roubles: bigint | null): Promise<void> {
    const amountMicroRub = roubles === null ? null : roubles * RUB
    return limits().set({ ...limit, amountMicroRub, adminId: ADMIN })
  }

  function nextId(): bigint {
    return ++lastId
  }

  function reserve(
    { userId, chatId = userId }: Asker,
    amountMicroRub: bigint,
    { id = nextId(), process = 0, leastMicroRub, kind = 'turn' }: Reserving = {},
  ) {
    const asker = Prisma.sql`SELECT ${userId}::bigint AS user_id, ${chatId}::bigint AS chat_id`
    const asking = { kind, id, amountMicroRub, leastMicroRub, asker }
    const prisma = prismaOf(process)
    if (kind === 'turn') return reserving.reserve(prisma, asking)
    return prisma.$transaction((tx) => reserving.reserveIn(tx, asking))
  }

  async function charge(
    { userId, chatId = userId }: Asker,
    amountMicroRub: bigint,
    { id = nextId(), process = 0, kind = 'turn' }: Omit<Reserving, 'leastMicroRub'> = {},
  ): Promise<void> {
    const prisma = prismaOf(process)
    await prisma.user.createMany({
      data: [{ id: userId, firstName: 'Anna' }],
      skipDuplicates: true,
    })
    const charges = recordCharges({
      columns: {
        user_id: Prisma.sql`${userId}::bigint`,
        chat_id: Prisma.sql`${chatId}::bigint`,
        kind: Prisma.sql`'video'::bot.charge_kind`,
        item: Prisma.sql`'vidgen'`,
        amount_micro_rub: Prisma.sql`${amountMicroRub}::bigint`,
      },
      from: Prisma.sql``,
      over: Prisma.sql`SELECT ${kind}::bot.reservation_kind, ${id}::bigint`,
      calendar,
    })
    await prisma.$executeRaw`WITH ${charges} SELECT`
  }

  async function release(id: bigint, { process = 0 } = {}): Promise<void> {
    await releaseReservations(prismaOf(process), Prisma.sql`id = ${id}`)
  }

  async function counters(subjectId: number) {
    const found = await prismaOf(0).spender.findUnique({ where: { id: subjectId } })
    return {
      spentMicroRub: found?.totalMicroRub ?? 0n,
      reservedMicroRub: found?.reservedMicroRub ?? 0n,
    }
  }
}
