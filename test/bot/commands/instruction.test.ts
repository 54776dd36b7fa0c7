import { expect, test } from 'vitest'
import { readInstruction } from '../../../src/bot/conversations/conversations.ts'
import { addSpender, buttonsOf, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

test('/system sets the instruction, shows it, and a button removes it', async () => {
  const { send, press, answerTo, playground } = await setUp()
  const userId = await send('/system')
  expect(await answerTo(userId)).toContain('no instruction')

  await send('/system Answer in\nverse.', { userId })
  expect(await answerTo(userId)).toContain('now follows this instruction')
  await send('/system', { userId })
  expect(await answerTo(userId)).toBe(
    'In this chat the model follows this instruction:\n\nAnswer in\nverse.',
  )
  const pressed = await press(userId, 'Remove instruction')

  expect(pressed?.answer?.text).toBe('Instruction removed.')
  expect(await answerTo(userId)).toContain('no instruction')
  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([
    ['Answer in short sentences'],
    ['Explain it in simple words'],
    ['Write my own'],
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

test('a button asks for an instruction, and the reply to that is taken as one', async () => {
  const { send, press, answerTo, playground, handleAll, passedOn } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1n })
  await send('/settings', { userId })
  await press(userId, 'Instruction: none')
  const settings = playground.transcript(userId).at(-1)

  await press(userId, 'Write my own')

  const asking = playground.transcript(userId).at(-1)
  expect(asking?.text).toBe(
    'Anna, which instruction shall the model follow in this chat? Reply to this message with it.',
  )
  expect(asking?.replyMarkup).toMatchObject({ force_reply: true })
  expect(buttonsOf(playground.transcript(userId).find(({ id }) => id === settings?.id))).toEqual([
    ['Cancel'],
  ])
  const reply = async (text: string) => {
    playground.userSends({ userId, text, replyToMessageId: asking?.id ?? 0 })
    await handleAll()
  }
  await reply('ы'.repeat(4001))
  expect(await answerTo(userId)).toContain('has 4,001 characters')
  await reply('Answer in verse.')
  expect(await answerTo(userId)).toContain('now follows this instruction')
  expect(await instructionOf(userId)).toBe('Answer in verse.')
  await reply('off')
  expect(await instructionOf(userId)).toBeUndefined()
  expect(passedOn).toEqual([])
})

async function instructionOf(chatId: number): Promise<string | undefined> {
  return readInstruction(database, { chatId, threadId: 0 })
}

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
