import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { EVERYBODY, readSpentByEverybody } from '../../../../src/bot/spend/limits/everybody.ts'
import { ADMIN, clock, processes, RUB, useLimits } from './limits-setup.ts'

const { calendar, reached, limits, setLimit, reserve, charge, release, nextId } = useLimits()

const MONTH = { subjectId: EVERYBODY, period: 'month' } as const

let lastUserId = 1000
const newUser = () => ++lastUserId

afterEach(async () => {
  const prisma = processes[0]?.prisma
  await prisma?.spendLimit.deleteMany()
  await prisma?.reservation.deleteMany()
  await prisma?.spender.updateMany({ data: { reservedMicroRub: 0, unlimitedOn: null } })
})

async function together(): Promise<bigint> {
  const prisma = processes[0]?.prisma
  if (prisma === undefined) throw new Error('There are no processes yet')
  const { spentMicroRub, reservedMicroRub } = await readSpentByEverybody(prisma, calendar)
  return spentMicroRub.month + reservedMicroRub
}

async function limitTo(roubles: bigint): Promise<bigint> {
  const amountMicroRub = (await together()) + roubles * RUB
  await limits().set({ ...MONTH, amountMicroRub, adminId: ADMIN })
  return amountMicroRub
}

// Promise: A hundred requests come at once over two processes
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

// Promise: A hundred requests come at once over two processes
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

test('far from the limit nobody waits for who holds what is judged near it', async () => {
  await limitTo(1_000_000n)
  await reserve({ userId: newUser() }, RUB)
  const holder = await processes[0]?.pool.connect()
  await holder?.query('BEGIN')
  await holder?.query('SELECT FROM bot.spender FOR UPDATE')
  await holder?.query('SELECT FROM bot.reservation FOR UPDATE')

  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => reserve({ userId: newUser() }, RUB, { process: 1 })),
  )

  await holder?.query('ROLLBACK')
  holder?.release()
  expect(outcomes.every(({ status }) => status === 'reserved')).toBe(true)
})

test('a refusal names everybody’s limit, and what others spent and have under way of it', async () => {
  const before = await together()
  await limitTo(10n)
  await charge({ userId: newUser() }, 6n * RUB)
  await reserve({ userId: newUser() }, 3n * RUB)

  const outcome = await reserve({ userId: newUser() }, 2n * RUB)

  expect(outcome).toMatchObject({
    status: 'refused',
    refusal: {
      subjectId: EVERYBODY,
      period: 'month',
      limitMicroRub: before + 10n * RUB,
      spentMicroRub: before + 6n * RUB,
      reservedMicroRub: 3n * RUB,
      neededMicroRub: 2n * RUB,
      resetsAt: expect.any(Date),
    },
  })
  expect(reached).toContain('month')
  expect(await reserve({ userId: newUser() }, RUB)).toMatchObject({ status: 'reserved' })
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

test('a lower limit holds at once, whatever was shared out of the higher one', async () => {
  await limitTo(1_000n)
  await reserve({ userId: newUser() }, RUB)

  await limitTo(2n)

  expect(await reserve({ userId: newUser() }, 3n * RUB)).toMatchObject({ status: 'refused' })
  expect(await reserve({ userId: newUser() }, 2n * RUB)).toMatchObject({ status: 'reserved' })
})

test('where there is no such limit the parts say so, and nothing is added up', async () => {
  const parts = async () => {
    const rows = await processes[0]?.prisma.sharedRoom.findMany()
    return new Set(rows?.map(({ microRub }) => microRub))
  }
  await limitTo(1_600n)
  expect(await parts()).toEqual(new Set([0n]))
  await reserve({ userId: newUser() }, 16n * RUB)
  expect(await parts()).toEqual(new Set([99n * RUB]))

  await limits().set({ ...MONTH, amountMicroRub: null, adminId: ADMIN })

  expect(await parts()).toEqual(new Set([null]))
  expect(await reserve({ userId: newUser() }, 9_000n * RUB)).toMatchObject({ status: 'reserved' })
  expect(await parts()).toEqual(new Set([null]))
})

test('what charges leave of their reservations may be spent', async () => {
  await limitTo(4n)
  for (let asked = 0; asked < 8; asked += 1) {
    const id = nextId()
    const asker = { userId: newUser() }
    expect(await reserve(asker, 2n * RUB, { id })).toMatchObject({ status: 'reserved' })
    await charge(asker, RUB / 4n, { id })
  }

  expect(await reserve({ userId: newUser() }, 2n * RUB + 1n)).toMatchObject({ status: 'refused' })
  expect(await reserve({ userId: newUser() }, 2n * RUB)).toMatchObject({ status: 'reserved' })
})

test('what is reserved again for the same turn takes the difference', async () => {
  await limitTo(4n)
  const asker = { userId: newUser() }
  const id = nextId()

  expect(await reserve(asker, 3n * RUB, { id })).toMatchObject({ status: 'reserved' })
  expect(await reserve(asker, 4n * RUB, { id })).toMatchObject({ status: 'reserved' })
  expect(await reserve(asker, 5n * RUB, { id })).toMatchObject({ status: 'refused' })
  expect(await reserve(asker, 4n * RUB, { id })).toMatchObject({ status: 'reserved' })
  expect(await reserve(asker, RUB, { id })).toMatchObject({ status: 'reserved' })
  expect(await reserve({ userId: newUser() }, 3n * RUB)).toMatchObject({ status: 'reserved' })
})

test('a limit that was lifted for today holds again tomorrow, with what was spent meanwhile', async () => {
  await clock.stopAt(new Date('2030-05-05T10:00:00Z'))
  await limitTo(100n)
  await reserve({ userId: newUser() }, RUB)
  await processes[0]?.prisma.$transaction((tx) => limits().liftIn(tx, EVERYBODY))

  expect(await reserve({ userId: newUser() }, 500n * RUB)).toMatchObject({ status: 'reserved' })
  await clock.advance(24 * 3600_000)

  expect(await reserve({ userId: newUser() }, RUB)).toMatchObject({ status: 'refused' })
})

test('a limit of a day leaves all of it again on the next day', async () => {
  await clock.stopAt(new Date('2030-05-07T10:00:00Z'))
  await setLimit({ subjectId: EVERYBODY, period: 'day' }, 2n)
  await charge({ userId: newUser() }, 2n * RUB)
  expect(await reserve({ userId: newUser() }, RUB)).toMatchObject({
    refusal: { period: 'day', resetsAt: new Date('2030-05-07T21:00:00Z') },
  })

  await clock.advance(24 * 3600_000)

  expect(await reserve({ userId: newUser() }, 2n * RUB)).toMatchObject({ status: 'reserved' })
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

test('a limit is raised to an amount once, and never lowered by that', async () => {
  const raise = (roubles: bigint) =>
    limits().raise({ ...MONTH, amountMicroRub: roubles * RUB, adminId: ADMIN })
  expect(await raise(5n)).toBeNull()
  await setLimit(MONTH, 3n)

  expect(await Promise.all([raise(5n), raise(5n)])).toEqual([5n * RUB, 5n * RUB])
  expect(await raise(4n)).toBe(5n * RUB)
  const changes = await processes[0]?.prisma.change.findMany({ where: { before: '3000000' } })
  expect(changes).toMatchObject([{ what: 'limit_month', subjectId: EVERYBODY, after: '5000000' }])
})

interface Act {
  type: 'turn' | 'order' | 'charge' | 'release'
  user: number
  kopecks: number
}

const act: fc.Arbitrary<Act> = fc.record({
  type: fc.constantFrom('turn', 'turn', 'order', 'charge', 'release'),
  user: fc.nat(3),
  kopecks: fc.integer({ min: 0, max: 300 }),
})

// Promise: Reservations, charges and releases come in any order
test('while two processes reserve, charge and release at once, no reservation passes everybody’s limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
      fc.bigInt({ min: 1n, max: 200n }),
      async (steps, roubles) => {
        const users = Array.from({ length: 4 }, newUser)
        const limit = await limitTo(roubles)
        const open = new Map<bigint, { userId: number; held: bigint }>()
        let above = 0n

        for (const step of steps) {
          await Promise.all(step.map(carryOut))
          expect(await together()).toBeLessThanOrEqual(limit + above)
        }
        await Promise.all([...open.keys()].map((id, process) => release(id, { process })))
        // What is left is all there again.
        const left = limit - (await together())
        if (left <= 0n) return
        const id = nextId()
        expect(await reserve({ userId: newUser() }, left, { id })).toMatchObject({
          status: 'reserved',
        })
        await release(id)

        async function carryOut({ type, user, kopecks }: Act, process: number) {
          const amount = BigInt(kopecks) * 10_000n
          const userId = users[user] ?? 0
          if (type === 'turn' || type === 'order') {
            const id = nextId()
            const { status } = await reserve({ userId }, amount, { id, process, kind: type })
            if (status === 'reserved') open.set(id, { userId, held: amount })
            return
          }
          const [id, entry] = [...open].find(([, given]) => given.userId === userId) ?? []
          if (id === undefined || entry === undefined) return
          open.delete(id)
          if (type === 'release') return release(id, { process })
          if (amount > entry.held) above += amount - entry.held
          await charge({ userId }, amount, { id, process })
          await release(id)
        }
      },
    ),
    { numRuns: 25 },
  )
})
