import { expect, onTestFinished, test } from 'vitest'
import { createStoredQueue, type EntryChange } from '../../../src/bot/queue/stored-queue.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
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
