import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ALL_GROUPS,
  ALL_USERS,
  type HeldLimit,
  judge,
  LimitReachedError,
} from '../../../src/bot/spend/limits.ts'
import { ADMIN, processes, RUB, useLimits } from './limits-setup.ts'

const { limits, setLimit, reserve, charge, release, counters, nextId } = useLimits()

let lastUserId = 1000
const newUser = () => ++lastUserId
const newGroup = () => -++lastUserId

test('of a hundred requests at once over two processes as many pass as the limit has room for, be the user new', async () => {
  const userId = newUser()
  await setLimit({ subjectId: BigInt(userId), period: 'day' }, 10n)

  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, process) => reserve({ userId }, RUB, { process })),
  )

  expect(outcomes.filter(({ status }) => status === 'reserved')).toHaveLength(10)
  expect(await counters(userId)).toEqual({ spentMicroRub: 0n, reservedMicroRub: 10n * RUB })
})

test('a refusal names the limit that leaves no room, what is spent and under way, and reserves nothing', async () => {
  const userId = newUser()
  await setLimit({ subjectId: BigInt(userId), period: 'all' }, 10n)
  await charge({ userId }, 6n * RUB)
  await reserve({ userId }, 3n * RUB)

  const outcome = await reserve({ userId }, 2n * RUB)

  expect(outcome).toEqual({
    status: 'refused',
    refusal: {
      subjectId: BigInt(userId),
      period: 'all',
      limitMicroRub: 10n * RUB,
      spentMicroRub: 6n * RUB,
      reservedMicroRub: 3n * RUB,
      neededMicroRub: 2n * RUB,
      resetsAt: null,
    },
  })
  expect(await counters(userId)).toEqual({
    spentMicroRub: 6n * RUB,
    reservedMicroRub: 3n * RUB,
  })
})

test('a default holds for users and groups without a limit of their own, period by period, and not for admins', async () => {
  const [userId, exempt, other] = [newUser(), newUser(), newUser()]
  const chatId = newGroup()
  await setLimit({ subjectId: ALL_USERS, period: 'day' }, 2n)
  await setLimit({ subjectId: ALL_USERS, period: 'month' }, 3n)
  await setLimit({ subjectId: ALL_GROUPS, period: 'day' }, 1n)
  await setLimit({ subjectId: BigInt(exempt), period: 'day' }, null)
  const given = { id: other, firstName: 'Olga', role: 'admin' } as const
  await processes[0]?.prisma.user.create({ data: given })

  const says = async (asker: { userId: number; chatId?: number }, roubles: bigint) =>
    (await reserve(asker, roubles * RUB)).status

  expect(await says({ userId }, 3n)).toBe('refused')
  expect(await says({ userId: exempt }, 3n)).toBe('reserved')
  expect(await says({ userId: exempt }, 1n)).toBe('refused')
  expect(await says({ userId: ADMIN }, 100n)).toBe('reserved')
  expect(await says({ userId: other }, 100n)).toBe('reserved')
  expect(await says({ userId: ADMIN, chatId }, 2n)).toBe('refused')
  await setLimit({ subjectId: BigInt(ADMIN), period: 'day' }, 50n)
  expect(await says({ userId: ADMIN }, 1n)).toBe('refused')

  for (const period of ['day', 'month'] as const) {
    await limits().clear({ subjectId: ALL_USERS, period, adminId: ADMIN })
  }
  await limits().clear({ subjectId: ALL_GROUPS, period: 'day', adminId: ADMIN })
})

type Act = {
  type: 'reserve' | 'charge' | 'release'
  user: number
  inGroup: boolean
  kopecks: number
}

const act: fc.Arbitrary<Act> = fc.record({
  type: fc.constantFrom('reserve', 'reserve', 'charge', 'release'),
  user: fc.nat(2),
  inGroup: fc.boolean(),
  kopecks: fc.integer({ min: 0, max: 300 }),
})

test('while two processes reserve, charge and release at once, no reservation passes a limit, and nothing stays reserved', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
      async (steps) => {
        const chatId = newGroup()
        const users = [newUser(), newUser(), newUser()]
        const limitOf = new Map(users.map((userId, index) => [userId, BigInt(index + 3) * RUB]))
        limitOf.set(chatId, 6n * RUB)
        for (const [id, amount] of limitOf) {
          await setLimit({ subjectId: BigInt(id), period: 'day' }, amount / RUB)
        }
        const open = new Map<bigint, { asker: { userId: number; chatId: number }; held: bigint }>()
        const above = new Map([...limitOf.keys()].map((id) => [id, 0n]))

        for (const step of steps) {
          await Promise.all(step.map(carryOut))
          for (const [id, limit] of limitOf) {
            const { spentMicroRub, reservedMicroRub } = await counters(id)
            const bound = limit + (above.get(id) ?? 0n)
            expect(spentMicroRub + reservedMicroRub).toBeLessThanOrEqual(bound)
            const ofSubject = [...open.values()].filter(
              ({ asker }) => asker.userId === id || asker.chatId === id,
            )
            expect(reservedMicroRub).toBe(ofSubject.reduce((sum, { held }) => sum + held, 0n))
          }
        }
        await Promise.all([...open.keys()].map((id, process) => release(id, { process })))

        for (const id of limitOf.keys()) {
          expect(await counters(id)).toMatchObject({ reservedMicroRub: 0n })
        }
        async function carryOut({ type, user, inGroup, kopecks }: Act, process: number) {
          const amount = BigInt(kopecks) * 10_000n
          const userId = users[user] ?? 0
          if (type === 'reserve') {
            const id = nextId()
            const asker = { userId, chatId: inGroup ? chatId : userId }
            const { status } = await reserve(asker, amount, { id, process })
            if (status === 'reserved') open.set(id, { asker, held: amount })
            return
          }
          const [id, entry] = [...open].find(([, { asker }]) => asker.userId === userId) ?? []
          if (id === undefined || entry === undefined) return
          open.delete(id)
          if (type === 'release') return release(id, { process })
          const over = amount > entry.held ? amount - entry.held : 0n
          for (const subject of new Set([entry.asker.userId, entry.asker.chatId])) {
            above.set(subject, (above.get(subject) ?? 0n) + over)
          }
          await charge(entry.asker, amount, { id, process })
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('what goes for less has what limits leave, the least of them, which is named', async () => {
  const userId = newUser()
  const chatId = newGroup()
  await setLimit({ subjectId: BigInt(userId), period: 'day' }, 9n)
  await setLimit({ subjectId: BigInt(chatId), period: 'all' }, 5n)
  await reserve({ userId, chatId }, 3n * RUB)
  const id = nextId()

  const outcome = await reserve({ userId, chatId }, 4n * RUB, { id, leastMicroRub: RUB })

  expect(outcome).toMatchObject({
    status: 'reserved',
    amountMicroRub: 2n * RUB,
    boundBy: { subjectId: BigInt(chatId), neededMicroRub: 4n * RUB },
  })
  expect(await counters(chatId)).toMatchObject({ reservedMicroRub: 5n * RUB })
  // It may ask for its own again.
  expect(await reserve({ userId, chatId }, 2n * RUB, { id })).toEqual({
    status: 'reserved',
    amountMicroRub: 2n * RUB,
  })
})

test('in a hundred races of two users at the last kopeck of their group it is never passed, and one who fits is never refused', async () => {
  const [anna, boris] = [newUser(), newUser()]
  const chatId = newGroup()
  const kopeck = RUB / 100n
  await setLimit({ subjectId: BigInt(chatId), period: 'day' }, 1n)
  await setLimit({ subjectId: BigInt(anna), period: 'month' }, 1n)
  await setLimit({ subjectId: BigInt(boris), period: 'all' }, 1n)
  await charge({ userId: newUser(), chatId }, RUB - kopeck)

  for (let race = 0; race < 100; race += 1) {
    const ids = [nextId(), nextId()]
    const outcomes = await Promise.all(
      [anna, boris].map((userId, process) =>
        reserve({ userId, chatId }, kopeck, { id: ids[process] ?? 0n, process }),
      ),
    )

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['refused', 'reserved'])
    expect(await counters(chatId)).toMatchObject({ reservedMicroRub: kopeck })
    await Promise.all(ids.map((id) => release(id)))
  }
}, 60_000)

const HELD: HeldLimit = {
  subjectId: 7n,
  period: 'day',
  amountMicroRub: 10n,
  isOwn: true,
  spentMicroRub: 4n,
  reservedMicroRub: 1n,
  beganAt: new Date('2026-05-05'),
  resetsAt: new Date('2026-05-06'),
}
const OTHERS: HeldLimit[] = [
  { ...HELD, period: 'all', resetsAt: null, amountMicroRub: 8n },
  { ...HELD, period: 'month', amountMicroRub: null },
]

test.each([
  // [needed, at least, granted, the period of the limit that leaves no more]
  [3n, undefined, 3n, undefined],
  [5n, 2n, 3n, 'all'],
  [0n, undefined, 0n, undefined],
] as const)('of %s, at least %s, %s is granted, bound by the limit of %s', (...given) => {
  const [amountMicroRub, leastMicroRub, granted, period] = given

  const { boundBy, ...rest } = judge([HELD, ...OTHERS], { amountMicroRub, leastMicroRub })

  expect(rest).toEqual({ amountMicroRub: granted })
  expect(boundBy?.period).toBe(period)
})

test.each([
  ['more than is left', OTHERS, 4n],
  ['an unknown price where nothing is left', [{ ...HELD, amountMicroRub: 5n }], 0n],
] as const)('%s is refused', (_what, others, amountMicroRub) => {
  expect(() => judge([HELD, ...others], { amountMicroRub })).toThrow(LimitReachedError)
})
