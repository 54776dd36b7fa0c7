import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEraseUser } from '../../../src/bot/conversations/erase-user.ts'
import { moveChat } from '../../../src/bot/conversations/move-chat.ts'
import { Turns } from '../../../src/bot/conversations/turns.ts'
import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import {
  rebuildSums,
  recordOrderCharge,
  takeBackOrderCharge,
} from '../../../src/bot/spend/charges.ts'
import { Limits } from '../../../src/bot/spend/limits.ts'
import { checkSums } from '../../../src/bot/spend/sums.ts'
import type { Prisma } from '../../../src/platform/database/generated/client.ts'
import { LeaseLostError } from '../../../src/platform/database/instance/instance.ts'
import { retryUntilStored } from '../../../src/platform/database/retry-until-stored.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createFastClock } from '../../platform/time/fast-clock.ts'

const USERS = [501, 502, 503, 504]
const GROUPS = [-71, -72]
const AT_ONCE = 8
const RUNS = 12
const ACTIONS_MAX = 60
const LEASE_OWNER = 1

const action = fc.record({
  process: fc.nat(1),
  userId: fc.constantFrom(...USERS),
  group: fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
  day: fc.constantFrom('2026-10-31T10:00Z', '2026-11-01T10:00Z', '2026-11-02T10:00Z'),
  amountMicroRub: fc.bigInt({ min: 0n, max: 1_000_000_000_000n }),
  does: fc.constantFrom(
    ...(['answer', 'answer', 'answer', 'hidden', 'order', 'order', 'refund', 'write_off'] as const),
    ...(['move', 'erase', 'rebuild'] as const),
  ),
})

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

test('while charges are written, groups moved and users erased at once, the sums are those of the rows at every moment', {
  timeout: 180_000,
}, async () => {
  const url = await createTestDatabase()
  const processes = [openTestDatabase({ url }), openTestDatabase({ url })] as const
  const watcher = openTestDatabase({ url })
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: ACTIONS_MAX }), async (plan) => {
        await forgetAll(watcher)
        for (let start = 0; start < plan.length; start += AT_ONCE) {
          const acts = plan.slice(start, start + AT_ONCE)
          const running = Promise.allSettled(
            acts.map((one) => act(processes[one.process === 0 ? 0 : 1], one)),
          )
          const looks = await Promise.all([lookAt(watcher), lookAt(watcher)])
          const ends = await running
          expect(looks).toEqual([[], []])
          expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
        }
        expect(await lookAt(watcher)).toEqual([])
        expect(await paidByUser(watcher)).toEqual(await countedByUser(watcher))
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  } finally {
    await Promise.all([...processes, watcher].map((database) => database.close()))
  }
})

let lastId = 0

/**
 * Acts as the bot does, which repeats what the database ended: a turn that begins while its group is moved may be in each
 * other's way with it.
 */
function act(database: TestDatabase, given: Action): Promise<unknown> {
  const clock = createFastClock(1_000_000)
  return retryUntilStored(() => tryToAct(database, given, ++lastId), { clock })
}

async function tryToAct(
  { prisma }: TestDatabase,
  given: Action,
  messageId: number,
): Promise<unknown> {
  const { userId, group, day, amountMicroRub, does } = given
  const chatId = group ?? userId
  const calendar = createCalendar({ timeZone: 'Europe/Moscow', now: () => new Date(day) })
  const limits = new Limits({ prisma, calendar, adminIds: new Set() })
  const turns = new Turns({
    prisma,
    leaseOwner: LEASE_OWNER,
    telegramNow: () => undefined,
    spend: { calendar, limits },
  })
  const cost = { amountMicroRub, estimated: amountMicroRub % 3n === 0n }
  switch (does) {
    case 'answer':
    case 'hidden': {
      const prompt = {
        chatId,
        threadId: 0,
        messageId,
        text: 'Hi',
        sentAt: new Date(day),
        user: { id: userId, firstName: 'U' },
      }
      const choice = { otherwise: `model-${amountMicroRub % 2n}` }
      const begun = await turns.begin(prompt, { choice }).catch(passIfErased)
      if (begun === undefined) return
      const { turn } = begun
      for (let requests = does === 'hidden' ? 2 : 1; requests > 0; requests--) {
        await turns.recordRequest(turn.id, cost).catch(passIfErased)
      }
      await turns.end(turn, { state: 'stopped', text: '' }).catch(passIfErased)
      return turns.charge(turn, cost)
    }
    case 'order': {
      const order = { userId, chatId, kind: 'video', params: {}, label: 'video' } as const
      const asked = { originKey: `test ${messageId}`, replyToMessageId: 1 }
      const ended = { state: 'delivered', endedAt: new Date() } as const
      const { id: orderId } = await prisma.order.create({ data: { ...order, ...asked, ...ended } })
      return change(orderId, (tx) => recordOrderCharge(tx, { orderId, ...cost }, calendar))
    }
    case 'refund':
    case 'write_off': {
      const order = await prisma.order.findFirst({ where: { userId }, orderBy: { id: 'asc' } })
      const how = does === 'refund' ? 'reversal' : 'write_off'
      return order && change(order.id, (tx) => takeBackOrderCharge(tx, order.id, how, calendar))
    }
    case 'move': {
      const from = group ?? -71
      return moveChat(prisma, { from, to: from - 1_000 })
    }
    case 'erase': {
      const replies = { stop: async () => 'nothing' }
      const clock = createFastClock(1_000_000)
      return createEraseUser({ prisma, replies, calendar, clock })(userId)
    }
    case 'rebuild':
      return rebuildSums(prisma)
  }

  /** Writes as `OrderStore` does: the order is changed first, if it is there. */
  function change(id: bigint, record: (tx: Prisma.TransactionClient) => Promise<void>) {
    return prisma.$transaction(async (tx) => {
      const { count } = await tx.order.updateMany({ where: { id }, data: { taskId: 1 } })
      if (count > 0) await record(tx)
    })
  }
}

/** Passes over the error of a user who was erased meanwhile: there is no turn to ask or to end. */
function passIfErased(error: unknown): undefined {
  const isErased =
    error instanceof Error && / turn: it is (gone|neither new nor there)$/.test(error.message)
  if (!isErased && !(error instanceof LeaseLostError)) throw error
}

async function lookAt({ prisma }: TestDatabase) {
  return (await checkSums(prisma)).differences
}

/** Added up here, by other means than the check's. */
async function paidByUser({ prisma }: TestDatabase) {
  const sums: Record<string, bigint> = {}
  for (const { userId, amountMicroRub } of await prisma.charge.findMany()) {
    sums[String(userId)] = (sums[String(userId)] ?? 0n) + amountMicroRub
  }
  return sums
}

async function countedByUser({ prisma }: TestDatabase) {
  const days = await prisma.spendDay.groupBy({ by: ['userId'], _sum: { amountMicroRub: true } })
  return Object.fromEntries(days.map(({ userId, _sum }) => [String(userId), _sum.amountMicroRub]))
}

async function forgetAll({ prisma, pool }: TestDatabase): Promise<void> {
  await pool.query('TRUNCATE bot."user", bot.conversation, bot.charge, bot.spend_day CASCADE')
  await prisma.user.createMany({ data: USERS.map((id) => ({ id, firstName: 'U' })) })
}
