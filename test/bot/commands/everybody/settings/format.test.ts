import { expect, test } from 'vitest'
import { addSpender, buttonsOf, database, setUp, useCommands } from '../../commands-setup.ts'

useCommands()

test('/format shows how answers look in the chat, and sets it by a word or a button', async () => {
  const { send, press, answerTo, playground } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  const chosen = () => database.prisma.chat.findUnique({ where: { id: userId } })

  expect(await answerTo(await send('/format', { userId }))).toMatch(/rich messages where they have/)
  expect(await chosen()).toBeNull()
  expect(await answerTo(await send('/format PLAIN', { userId }))).toMatch(/are plain text: tables/)
  expect(await chosen()).toMatchObject({ format: 'plain' })

  await press(userId, 'Rich')

  const last = playground.transcript(userId).at(-1)
  expect(last?.text).toMatch(/^Answers here are rich messages\. Some apps/)
  expect(buttonsOf(last)).toEqual([['Automatic'], ['Plain text', '✓ Rich'], ['« Settings']])
  expect(await chosen()).toMatchObject({ format: 'rich' })
})
