import { expect, test } from 'vitest'
import { ADMIN, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/admin shows an admin the settings, and changes each by itself', async () => {
  const { send, answerTo } = await setUp()
  const ask = async (text: string) => answerTo(await send(text, { userId: ADMIN }))
  const values = (answer = '') =>
    [...answer.matchAll(/^(\w+) — .*: (.*)$/gm)].map(([, name, value]) => `${name} ${value}`)

  const first = values(await ask('/admin'))
  await ask('/admin balance 2,50 ₽')
  await ask('/admin days off')
  await ask('/admin Digest 0')
  await ask('/admin failures off')
  await ask('/admin confirm 0')
  await ask('/admin costnote off')
  const changed = values(await ask('/admin deadline 90'))

  expect(first).toEqual([
    'balance 500',
    'days 3',
    'failures on',
    'digest 10',
    'confirm 50',
    'parallel 3',
    'deadline 60',
    'costnote 5',
  ])
  expect(changed).toEqual([
    'balance 2.5',
    'days off',
    'failures off',
    'digest 0',
    'confirm 0',
    'parallel 3',
    'deadline 90',
    'costnote off',
  ])
})

test.each([
  ['/admin balance -1', 'An amount can’t be below zero.'],
  ['/admin days 0', 'a whole number from 1 to 365'],
  ['/admin digest 24', 'a whole number from 0 to 23'],
  ['/admin confirm off', 'Write an amount'],
  ['/admin parallel 0', 'a whole number from 1 to 100'],
  ['/admin deadline 1441', 'a whole number from 1 to 1,440'],
  ['/admin days', 'To change one'],
  ['/admin 5', 'To change one'],
])('"%s" is answered with "… %s", and changes nothing', async (text, expected) => {
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/admin', { userId: ADMIN }))

  expect(await answerTo(await send(text, { userId: ADMIN }))).toContain(expected)

  expect(await answerTo(await send('/admin', { userId: ADMIN }))).toBe(before)
})
