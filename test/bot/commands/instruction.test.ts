import { expect, test } from 'vitest'
import { buttonsOf, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/system sets the instruction, shows it, and a button removes it', async () => {
  const { send, press, answerTo, playground } = await setUp()
  const userId = await send('/system')
  expect(await answerTo(userId)).toContain('no instruction')

  await send('/system Answer in\nverse.', { userId })
  expect(await answerTo(userId)).toContain('now follows this instruction')
  await send('/system', { userId })
  expect(await answerTo(userId)).toBe(
    'In this chat the model follows this instruction (to change it: /system New text):\n\nAnswer in\nverse.',
  )
  const pressed = await press(userId, 'Remove instruction')

  expect(pressed?.answer?.text).toBe('Instruction removed.')
  expect(await answerTo(userId)).toContain('no instruction')
  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([
    ['Answer in short sentences'],
    ['Explain it in simple words'],
    ['« Settings'],
  ])
  expect(await answerTo(await send('/system off', { userId }))).toContain('no instruction')
})

test('an instruction that is too long is refused, and the longest is shown whole', async () => {
  const { send, handle, answerTo, playground } = await setUp()
  const userId = await send('hello')
  const { message } = JSON.parse(JSON.stringify(updateOf(userId, `/system ${'ы'.repeat(4001)}`)))

  await handle({ update_id: 1_000_001, message })
  expect(await answerTo(userId)).toContain('has 4,001 characters; the most is 4,000')

  await send(`/system ${'ы'.repeat(4000)}`, { userId })
  await send('/system', { userId })
  expect(playground.transcript(userId).at(-1)?.text).toContain('ы'.repeat(4000))
})

/** Joined from parts: longer than a message that a user can send. */
function updateOf(userId: number, text: string) {
  const user = { id: userId, is_bot: false, first_name: 'Anna', language_code: 'en' }
  return {
    message: {
      message_id: 900,
      date: 0,
      chat: { id: userId, type: 'private', first_name: 'Anna' },
      from: user,
      text,
      entities: [{ type: 'bot_command', offset: 0, length: 7 }],
    },
  }
}
