import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels, press } from './buttons.ts'
import { ended, turns } from './ended.ts'

const HOUR_MS = 3600_000

test('a late message is asked about, and answered when its user wants it', async () => {
  const setup = await createBotSetup()
  setup.service.onCompletion(hello)
  const bot = await setup.startBot()
  await bot.receive({ update_id: 1, message: sentBefore(5 * HOUR_MS) })
  await ended(setup)
  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('about 5 hours ago')])
  expect(labels(setup, ANNA)).toEqual([['Answer', 'Don’t answer']])

  await press(setup, 'Answer')
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual(['Hello!'])
  expect(labels(setup, ANNA)).toEqual([])
  expect(setup.service.completions[0]?.prompt).toBe('Hello?')
})

test('a late message that its user leaves, asked about after a crash, stays unanswered and out of the history', async () => {
  const setup = await createBotSetup()
  await hold(setup, 72 * HOUR_MS)
  setup.service.onCompletion(hello)
  await setup.startBot()
  await ended(setup)
  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('about 3 days ago')])

  await press(setup, 'Don’t answer')
  await setup.playground.waitFor(() => labels(setup, ANNA).length === 0)
  setup.playground.userSends({ userId: ANNA, text: 'next' })
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('won’t answer'), 'Hello!'])
  expect(setup.service.completions[0]?.request.messages).toHaveLength(1)
  expect((await turns(setup))[0]).toMatchObject({ state: 'declined', charge: [] })
})

function sentBefore(ageMs: number): NonNullable<Update['message']> {
  return {
    message_id: 1,
    date: Math.floor((Date.now() - ageMs) / 1000),
    chat: { id: ANNA, type: 'private', first_name: 'Anna' },
    from: { id: ANNA, is_bot: false, first_name: 'Anna', language_code: 'en' },
    text: 'Hello?',
  }
}

async function hold(setup: BotSetup, ageMs: number): Promise<void> {
  const sentAt = new Date(Date.now() - ageMs)
  const { prisma } = setup.database
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna', languageCode: 'en' } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: ANNA } })
  await prisma.turn.create({
    data: {
      conversationId,
      chatId: ANNA,
      userId: ANNA,
      promptMessageId: 1,
      model: 'alpha',
      state: 'held',
      heldReason: 'late',
      sentAt,
      messages: { create: { conversationId, role: 'user', content: 'Hello?' } },
    },
  })
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
}

function hello(completion: OpenCompletion): void {
  completion.answer('Hello!')
}
