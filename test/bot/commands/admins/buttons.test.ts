import { expect, test } from 'vitest'
import { ADMIN, buttonsOf, database, setUp, useCommands } from '../commands-setup.ts'

useCommands()

test('the row of buttons below answers is taken away by a tap, and comes back by a command', async () => {
  const { send, answerTo, press, playground } = await setUp()
  await send('/admin', { userId: ADMIN })
  const shown = () => playground.transcript(ADMIN).at(-1)

  await press(ADMIN, 'Buttons below answers: on')
  expect(buttonsOf(shown())[0]).toEqual(['✓ On', 'Off'])
  await press(ADMIN, 'Off')
  expect(shown()?.text).toBe('Answers have no buttons.')
  expect(buttonsOf(shown())[0]).toEqual(['On', '✓ Off'])
  expect(await answerTo(await send('/buttons on', { userId: ADMIN }))).toMatch(/two buttons/)

  expect(await database.prisma.change.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { adminId: BigInt(ADMIN), what: 'setting:answer_row', before: 'on', after: 'off' },
    { what: 'setting:answer_row', before: 'off', after: 'on' },
  ])
})

test('/buttons is unknown to a user', async () => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send('/buttons off'))).toContain('I don’t know this command')
})
