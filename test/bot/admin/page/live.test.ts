import { expect, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { ANNA, readText, setUpPage, VIEWER } from './page-setup.ts'

const HOUR_MS = 3_600_000

test('an open page reads the figures of this moment', async () => {
  const { ask, signIn, prisma } = await setUpPage()
  const token = await signIn(VIEWER)
  const read = async () => readText((await ask('GET', '/live', { token })).text)
  const figures = (today: string) =>
    ['Today', today, 'In progress', '₽0.00', 'Balance', '₽1,234.50'].join('\n')

  expect(await read()).toBe(figures('₽0.00'))
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_250_000n })

  expect(await read()).toBe(figures('₽1.25'))
})

test('a page that is only left open does not keep its session', async () => {
  const { ask, signIn, databaseClock } = await setUpPage()
  const token = await signIn(VIEWER)

  await databaseClock.advance(1.5 * HOUR_MS)
  expect((await ask('GET', '/live', { token })).status).toBe(200)
  await databaseClock.advance(HOUR_MS)

  expect((await ask('GET', '/live', { token })).status).toBe(401)
})
