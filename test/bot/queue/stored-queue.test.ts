import { expect, onTestFinished, test } from 'vitest'
import { createStoredQueue, type EntryChange } from '../../../src/bot/queue/stored-queue.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { recordPlans } from '../../platform/database/made-plans.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const MINUTE_MS = 61_000

async function openQueues({ limit }: { limit: number }) {
  const url = await createTestDatabase()
  const { advance: passTime } = await createTestClock(url)
  const { pool, prisma, close } = openTestDatabase({ url, connectionsMax: 20 })
  onTestFinished(close)
  return { pool, prisma, startProcess, passTime }

  async function startProcess() {
    const instance = await registerInstance({ url, onError: () => {} })
    let isReleased = false
    onTestFinished(() => release())
    const stored = createStoredQueue({ prisma, pool, instanceId: instance.id, kind: 'chat', limit })
    return { ...stored, instanceId: instance.id, kill: release }

    async function release(): Promise<void> {
      if (!isReleased) await instance.release()
      isReleased = true
    }
  }
}

function joins(id: bigint, userId = id): EntryChange {
  return { id, userId, waits: true }
}

test('where nothing waits, slots are taken until the limit is reached, and again a minute later', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 3 })
  const { takeSlots } = await startProcess()

  expect(await takeSlots(2)).toEqual(expect.any(Number))
  expect(await takeSlots(2)).toBeUndefined()
  expect(await takeSlots(1)).toEqual(expect.any(Number))
  await passTime(MINUTE_MS - 2_000)
  expect(await takeSlots(1)).toBeUndefined()
  await passTime(2_000)
  expect(await takeSlots(3)).toEqual(expect.any(Number))
})

// Promise: The clock of the database is set back by hours
test('a clock that was set back by two hours has nobody wait for it, in the gate and in the queue', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 3 })
  const { takeSlots, change } = await startProcess()
  await takeSlots(3)
  await change([{ ...joins(1n), closesMs: 60_000, isAway: true }])

  await passTime(-2 * 3600_000)
  const { now, slots, sent } = await change([{ id: 1n, userId: 1n, waits: false }, joins(2n)])
  await change([{ id: 2n, userId: 2n, waits: false, isHeard: true }])

  expect(slots.map((at) => at - now)).toEqual([])
  expect(sent.map(({ id }) => id)).toEqual([2n])
  expect(await takeSlots(2)).toEqual(expect.any(Number))
  expect(await takeSlots(1)).toBeUndefined()
})

test('of many processes that take slots in both ways at once, as many get one as there are', async () => {
  const { startProcess } = await openQueues({ limit: 7 })
  const processes = await Promise.all(Array.from({ length: 4 }, startProcess))

  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { takeSlots, change, instanceId } = processes[index % 4] ?? (await startProcess())
      if (index % 2 === 0) return (await takeSlots(1)) === undefined ? 0 : 1
      const { sent } = await change([joins(BigInt(index))])
      return sent.filter(({ id }) => id === BigInt(index) && instanceId > 0).length
    }),
  )

  const snapshot = await (await startProcess()).change([])
  const direct = outcomes.filter((sent, index) => index % 2 === 0 && sent === 1).length
  expect(direct + snapshot.sent.length).toBe(7)
})

test('while anything waits, nothing goes past it', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 1 })
  const [one, two] = [await startProcess(), await startProcess()]
  await one.takeSlots(1)
  await one.change([joins(1n)])
  await passTime(MINUTE_MS)

  expect(await two.takeSlots(1)).toBeUndefined()

  const { sent, waiting } = await two.change([joins(2n)])
  expect(sent.map(({ id }) => id)).toEqual([1n])
  expect(waiting.map(({ id }) => id)).toEqual([2n])
})

test('a process that ended is passed over, and what it waited with keeps its position for the next', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 1 })
  const [dead, living] = [await startProcess(), await startProcess()]
  await dead.takeSlots(1)
  await dead.change([joins(1n)])
  await living.change([joins(2n)])

  await dead.kill()
  expect((await living.change([])).waiting.map(({ id }) => id)).toEqual([2n])
  const { waiting } = await living.change([joins(1n)])
  expect(waiting.map(({ id }) => id)).toEqual([1n, 2n])
  await passTime(MINUTE_MS)
  expect((await living.change([])).sent).toMatchObject([{ id: 1n, leaseOwner: living.instanceId }])
})

test('what a process released is passed over at once', async () => {
  const { startProcess } = await openQueues({ limit: 1 })
  const [stopping, other] = [await startProcess(), await startProcess()]
  await stopping.takeSlots(1)
  await stopping.change([joins(1n)])

  await stopping.release()

  expect((await other.change([joins(2n)])).waiting.map(({ id }) => id)).toEqual([2n])
})

test('what no process takes up for six hours is forgotten', async () => {
  const { startProcess, passTime, prisma } = await openQueues({ limit: 1 })
  const [dead, living] = [await startProcess(), await startProcess()]
  await dead.takeSlots(1)
  await dead.change([joins(1n)])
  await dead.kill()

  await living.change([])
  expect(await prisma.queueEntry.count()).toBe(1)
  await passTime(6 * 3600_000)
  await living.change([])
  expect(await prisma.queueEntry.count()).toBe(0)
})

test('a change that is stored twice, since its answer was lost, is stored once', async () => {
  const { startProcess, prisma } = await openQueues({ limit: 1 })
  const { change, takeSlots } = await startProcess()
  const sentAt = await takeSlots(1)
  const refused = { ...joins(1n), uncountedAt: sentAt, closesMs: 60_000 }

  const once = await change([refused])
  const twice = await change([refused])
  expect(twice.waiting).toEqual(once.waiting)

  await change([{ ...joins(1n), waits: false }])
  await change([{ ...joins(1n), waits: false }])
  expect(await prisma.queueEntry.count()).toBe(0)
})

test('of what happens to an entry in one step the last counts', async () => {
  const { startProcess, prisma } = await openQueues({ limit: 1 })
  const { change } = await startProcess()

  const { sent, waiting } = await change([joins(1n), { ...joins(1n), waits: false }])

  expect([...sent, ...waiting]).toEqual([])
  expect(await prisma.queueEntry.count()).toBe(0)
})

test('a refused request goes back to where it stood, and the gate is closed', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 2 })
  const { change, takeSlots } = await startProcess()
  const sentAt = await takeSlots(2)
  await passTime(5)
  await change([joins(2n)])

  const { waiting, slots, now } = await change([
    { ...joins(1n), uncountedAt: sentAt, closesMs: 20_000 },
  ])

  expect(waiting.map(({ id }) => id)).toEqual([1n, 2n])
  expect(slots[0]).toBe(now + 21_000)
})

test('each kind of request has a queue and a limit of its own', async () => {
  const { prisma, pool } = await openQueues({ limit: 1 })
  const own = { prisma, pool, instanceId: 1, limit: 1 }
  const [chat, video] = (['chat', 'video'] as const).map((kind) =>
    createStoredQueue({ ...own, kind }),
  )

  await chat?.takeSlots(1)

  expect(await chat?.takeSlots(1)).toBeUndefined()
  expect(await video?.takeSlots(1)).toEqual(expect.any(Number))
})

test('what was sent is recorded by one plan of Prisma, however much it was', async () => {
  const { startProcess, passTime } = await openQueues({ limit: 9 })
  const { change } = await startProcess()
  await change([joins(1n)])
  await change([joins(2n)])
  await passTime(1_000)
  const plans = await recordPlans()

  await change([joins(3n)])

  expect(plans.filter(([query]) => query.includes('ServiceGate'))).toEqual([])
})
