import { expect, test } from 'vitest'
import { clock, RUB, useLimits } from './limits-setup.ts'

const { limits, setLimit, reserve, charge } = useLimits('Europe/Berlin')

let lastUserId = 1000

test.each([
  // Berlin goes to summer time on 29 March 2026: that Sunday has 23 hours.
  ['day', '2026-03-29T20:59:00Z', '2026-03-29T22:00:00Z'],
  // Back to winter time on 25 October: that day has 25.
  ['day', '2026-10-24T22:30:00Z', '2026-10-25T23:00:00Z'],
  ['week', '2026-10-19T10:00:00Z', '2026-10-25T23:00:00Z'],
] as const)(
  'a limit a %s that is spent at %s resets at %s, and no moment before',
  async (period, at, resetsAt) => {
    const userId = ++lastUserId
    await clock.stopAt(new Date(at))
    await setLimit({ subjectId: BigInt(userId), period }, 1n)
    await charge({ userId }, RUB)

    expect(await limits().ofSubject(userId)).toMatchObject([
      { period, spentMicroRub: RUB, resetsAt: new Date(resetsAt) },
    ])
    await clock.stopAt(new Date(new Date(resetsAt).getTime() - 1))
    expect(await reserve({ userId }, 1n)).toMatchObject({ status: 'refused' })
    await clock.stopAt(new Date(resetsAt))
    expect(await reserve({ userId }, RUB)).toMatchObject({ status: 'reserved' })
    expect(await limits().ofSubject(userId)).toMatchObject([{ spentMicroRub: 0n }])
  },
)

test('what is reserved before midnight counts after it, and is charged to the day of its charge', async () => {
  const userId = ++lastUserId
  const id = 777_777n
  await clock.stopAt(new Date('2026-05-05T21:59:59Z'))
  await setLimit({ subjectId: BigInt(userId), period: 'day' }, 1n)
  await reserve({ userId }, RUB, { id })

  await clock.stopAt(new Date('2026-05-05T22:00:01Z'))

  expect(await reserve({ userId }, 1n)).toMatchObject({ refusal: { reservedMicroRub: RUB } })
  await charge({ userId }, RUB, { id })
  expect(await limits().ofSubject(userId)).toMatchObject([
    { spentMicroRub: RUB, reservedMicroRub: 0n, resetsAt: new Date('2026-05-06T22:00:00Z') },
  ])
})
