import { expect, test } from 'vitest'
import { ADMIN, addSpender, database, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test.each([
  ['/costnote from 2,50 ₽', /₽2\.50 or more\. This is your own choice/],
  ['/costnote 10', /₽10\.00 or more/],
  ['/costnote always', /^Every answer/],
  ['/costnote OFF', /^Answers don’t say/],
  ['/costnote -1', /^Send \/costnote always/],
  ['/costnote allways', /^Send \/costnote always/],
  ['/costnote from a lot', /^Send \/costnote always/],
])('"%s" of a user is answered with %s', async (text, expected) => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })

  expect(await answerTo(await send(text, { userId }))).toMatch(expected)
})

test('what admins set for all holds for who chose nothing, or chose it again', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  const answersTo = async (text: string) => answerTo(await send(text, { userId }))
  await send('/costnote all from 7', { userId: ADMIN })

  expect(await answersTo('/costnote')).toMatch(/₽7\.00 or more\. This is the default/)
  expect(await answersTo('/costnote off')).toMatch(/^Answers don’t say/)
  expect(await answersTo('/costnote default')).toMatch(/₽7\.00 or more\. This is the default/)
  expect(await database.prisma.change.count({ where: { adminId: ADMIN } })).toBe(1)
})

test.each([
  ['a user', undefined, /^Only admins/],
  ['an admin, who reads what holds', ADMIN, /This is the setting for everyone\.$/],
])('/costnote all of %s', async (_who, userId, expected) => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send('/costnote all', { ...(userId && { userId }) }))).toMatch(
    expected,
  )
})
