import { expect, test } from 'vitest'
import { ADMIN, setUp, useCommands } from '../commands-setup.ts'

useCommands()

test('/alerts shows an admin what is sent unasked, and changes each by itself', async () => {
  const { send, answerTo } = await setUp()
  const ask = async (text: string) => answerTo(await send(text, { userId: ADMIN }))

  expect(await ask('/alerts')).toMatch(
    /below ₽500\.00\n.*less than 3 days.*\n.*5 times their mean.*\n• the service fails\n.*at 10:00$/,
  )
  await ask('/alerts balance 2,50 ₽')
  await ask('/alerts days 1')
  await ask('/alerts times off')
  await ask('/alerts Digest 0')
  expect(await ask('/alerts failures off')).toMatch(
    /below ₽2\.50\n.*less than a day.*\n.*unusual spend: off\n.*service failures: off\n.*at 00:00$/,
  )
})

test.each([
  ['/alerts balance -1', 'an amount in roubles'],
  ['/alerts days 0', 'a number of days from 1 to 365'],
  ['/alerts digest 24', 'an hour from 0 to 23'],
  ['/alerts 5', 'What should change?'],
])('"%s" is answered with "… %s", and changes nothing', async (text, expected) => {
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/alerts', { userId: ADMIN }))

  expect(await answerTo(await send(text, { userId: ADMIN }))).toContain(expected)

  expect(await answerTo(await send('/alerts', { userId: ADMIN }))).toBe(before)
})
