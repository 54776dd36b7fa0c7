import { expect, test } from 'vitest'
import { ADMIN, setUp, useCommands } from '../commands-setup.ts'

useCommands()

test('/media shows an admin the rules, and changes them one by one', async () => {
  const { send, answerTo } = await setUp()
  const ask = async (text: string) => answerTo(await send(text, { userId: ADMIN }))

  expect(await ask('/media')).toMatch(
    /from ₽50\.00 on.*second one within a minute.*Up to 3 orders of a user are.*in 60 min/s,
  )
  expect(await ask('/media confirm 2,50 ₽')).toContain('from ₽2.50 on')
  expect(await ask('/media parallel 1')).toContain('One order of a user is')
  expect(await ask('/media Deadline 90')).toMatch(/from ₽2\.50.*One order of a user is.*in 90 min/s)
})

test.each([
  ['/media confirm -1', 'a price in roubles'],
  ['/media parallel 0', 'a whole number from 1 to 100'],
  ['/media deadline 1441', 'a number of minutes from 1 to 1,440'],
  ['/media 5', 'What should change?'],
])('"%s" is answered with "… %s", and changes nothing', async (text, expected) => {
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/media', { userId: ADMIN }))

  expect(await answerTo(await send(text, { userId: ADMIN }))).toContain(expected)

  expect(await answerTo(await send('/media', { userId: ADMIN }))).toBe(before)
})
