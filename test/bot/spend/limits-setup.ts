import { afterAll, beforeAll } from 'vitest'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { writeCharge } from '../../../src/bot/spend/charges.ts'
import { type LimitOf, LimitReachedError, Limits } from '../../../src/bot/spend/limits.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock, type TestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

export const ADMIN = 1
export const RUB = 1_000_000n

/** A user, and the chat in which they ask: their own by default. */
export interface Asker {
  userId: number
  chatId?: number
}

export let clock: TestClock

/** Two processes on one database, each with connections of its own. */
export const processes: TestDatabase[] = []

let lastId = 1_000_000n

interface Reserving {
  id?: bigint
  process?: number
  leastMicroRub?: bigint
  kind?: 'turn' | 'order'
}

/** Limits on the days of UTC, where there is no admin, for the tests of other folders. */
export function limitsInUtc(prisma: PrismaClient): Limits {
  return new Limits({ prisma, calendar: createCalendar({ timeZone: 'UTC' }), adminIds: new Set() })
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
  return {
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

  function limits(budgetMicroRub?: bigint, process = 0) {
    const prisma = prismaOf(process)
    return new Limits({ prisma, calendar, adminIds, budgetMicroRub })
  }

  function setLimit(limit: LimitOf, roubles: bigint | null): Promise<void> {
    const amountMicroRub = roubles === null ? null : roubles * RUB
    return limits().set({ ...limit, amountMicroRub, adminId: ADMIN })
  }

  function nextId(): bigint {
    return ++lastId
  }

  async function storeUser(id: number, process: number): Promise<void> {
    const data = [{ id, firstName: 'Anna' }]
    await prismaOf(process).user.createMany({ data, skipDuplicates: true })
  }

  /** Reserves, and holds the amount on a row, as the bot does. */
  async function reserve(
    { userId, chatId = userId }: Asker,
    amountMicroRub: bigint,
    { id = nextId(), process = 0, leastMicroRub, kind = 'order' }: Reserving = {},
  ) {
    await storeUser(userId, process)
    const except = kind === 'turn' ? { turnId: id } : { orderId: id }
    const asking = { userId, chatId, amountMicroRub, leastMicroRub, except }
    try {
      const granted = await prismaOf(process).$transaction(async (tx) => {
        const given = await limits(undefined, process).reserve(tx, asking)
        const { amountMicroRub: heldMicroRub } = given
        const row = { id, userId, chatId, heldMicroRub }
        const held = { where: { id }, update: { heldMicroRub } }
        if (kind === 'turn') {
          const asked = { promptMessageId: Number(id), model: 'alpha' }
          const { id: conversationId } = await tx.conversation.create({ data: { chatId } })
          await tx.turn.upsert({ ...held, create: { ...row, ...asked, conversationId } })
        } else {
          const asked = { kind: 'video', originKey: `test ${id}`, replyToMessageId: 1 } as const
          const create = { ...row, ...asked, params: {}, label: 'vidgen' }
          await tx.order.upsert({ ...held, create })
        }
        return given
      })
      return { status: 'reserved' as const, ...granted }
    } catch (error) {
      if (!(error instanceof LimitReachedError)) throw error
      return { status: 'refused' as const, refusal: error.refusal }
    }
  }

  async function charge(
    { userId, chatId = userId }: Asker,
    amountMicroRub: bigint,
    { id = nextId(), process = 0 }: Pick<Reserving, 'id' | 'process'> = {},
  ): Promise<void> {
    await storeUser(userId, process)
    await prismaOf(process).$transaction(async (tx) => {
      await endHeld(tx, id)
      const item = { kind: 'video', item: 'vidgen', estimated: false } as const
      await writeCharge(tx, { userId, chatId, ...item, amountMicroRub }, calendar)
    })
  }

  function release(id: bigint, { process = 0 } = {}): Promise<void> {
    return endHeld(prismaOf(process), id)
  }

  async function counters(subjectId: number) {
    const all = (await limits().everyPeriodOf(subjectId)).find(({ period }) => period === 'all')
    if (all === undefined) throw new Error('There is no such period')
    return { spentMicroRub: all.spentMicroRub, reservedMicroRub: all.reservedMicroRub }
  }
}

async function endHeld(prisma: Pick<PrismaClient, 'turn' | 'order'>, id: bigint): Promise<void> {
  const end = { where: { id }, data: { heldMicroRub: null } }
  await prisma.turn.updateMany(end)
  await prisma.order.updateMany(end)
}
