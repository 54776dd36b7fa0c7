import { afterEach, expect, test } from 'vitest'
import { EVERYBODY } from '../../../src/bot/spend/limits.ts'
import { ADMIN, processes, RUB, useLimits } from './limits-setup.ts'

const { limits, setLimit, reserve } = useLimits()

const MONTH = { subjectId: EVERYBODY, period: 'month' } as const

let lastUserId = 1000
const newUser = () => ++lastUserId

afterEach(async () => {
  const prisma = processes[0]?.prisma
  await prisma?.spendLimit.deleteMany()
  await prisma?.setting.deleteMany()
  await prisma?.turn.deleteMany()
  await prisma?.order.deleteMany()
})

async function together(): Promise<bigint> {
  const held = await limits().everyPeriodOf(EVERYBODY)
  const { spentMicroRub = 0n, reservedMicroRub = 0n } =
    held.find(({ period }) => period === 'month') ?? {}
  return spentMicroRub + reservedMicroRub
}

async function limitTo(roubles: bigint): Promise<bigint> {
  const amountMicroRub = (await together()) + roubles * RUB
  await limits().set({ ...MONTH, amountMicroRub, adminId: ADMIN })
  return amountMicroRub
}

test('of a hundred turns and orders of fifty users at once over two processes as many pass as everybody’s limit has room for', async () => {
  const users = Array.from({ length: 50 }, newUser)
  const limit = await limitTo(7n)

  const outcomes = await Promise.all(
    [...users, ...users].map((userId, index) =>
      reserve({ userId }, RUB, { process: index, kind: index % 4 < 2 ? 'turn' : 'order' }),
    ),
  )

  expect(outcomes.filter(({ status }) => status === 'reserved')).toHaveLength(7)
  expect(await together()).toBe(limit)
})

test('a hundred turns that go for what is left never pass everybody’s limit together, and leave little of it', async () => {
  const limit = await limitTo(10n)

  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, process) =>
      reserve({ userId: newUser() }, 3n * RUB, { process, leastMicroRub: RUB }),
    ),
  )

  const granted = outcomes.filter((outcome) => outcome.status === 'reserved')
  expect(granted.map(({ amountMicroRub }) => amountMicroRub / RUB).toSorted()).toEqual([
    1n,
    3n,
    3n,
    3n,
  ])
  expect(await together()).toBe(limit)
})

test('it holds for admins, too, and beside a limit of their own the one that leaves less', async () => {
  const userId = newUser()
  await limitTo(5n)
  await setLimit({ subjectId: BigInt(userId), period: 'day' }, 3n)

  expect(await reserve({ userId: ADMIN }, 6n * RUB)).toMatchObject({ status: 'refused' })
  expect(await reserve({ userId }, 9n * RUB, { leastMicroRub: RUB })).toMatchObject({
    amountMicroRub: 3n * RUB,
    boundBy: { subjectId: BigInt(userId) },
  })
  expect(await reserve({ userId: newUser() }, 9n * RUB, { leastMicroRub: RUB })).toMatchObject({
    amountMicroRub: 2n * RUB,
    boundBy: { subjectId: EVERYBODY },
  })
})

test('BUDGET_RUB is a month’s limit until an admin sets another, and after that is taken away', async () => {
  const amount = async () => limits().monthOfEverybody()
  await limits(5n * RUB).storeBudget()
  expect(await amount()).toBe(5n * RUB)
  await limits(6n * RUB).storeBudget()
  expect(await limits().ofSubject(EVERYBODY)).toMatchObject([
    { period: 'month', amountMicroRub: 6n * RUB, isOwn: false },
  ])

  await limits(6n * RUB).set({ ...MONTH, amountMicroRub: null, adminId: ADMIN })
  await limits(7n * RUB).storeBudget()
  expect(await amount()).toBeUndefined()
  expect(await limits().ofSubject(EVERYBODY)).toMatchObject([{ isOwn: true }])

  await limits(7n * RUB).clear({ ...MONTH, adminId: ADMIN })
  expect(await amount()).toBe(7n * RUB)
  await limits().storeBudget()
  expect(await limits().ofSubject(EVERYBODY)).toEqual([])
})
