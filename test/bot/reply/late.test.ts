import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import type { OpenCompletion } from '../chat-service.ts'
import { ANNA, createHouse, type House } from '../house.ts'
import { labels, press } from './buttons.ts'
import { ended, turns } from './ended.ts'

const HOUR_MS = 3600_000

test('a late message is asked about, and answered when its user wants it', async () => {
  const house = await createHouse()
  house.service.onCompletion(hello)
  const bot = await house.startBot()
  await bot.receive({ update_id: 1, message: sentBefore(5 * HOUR_MS) })
  await ended(house)
  expect(house.said(ANNA)).toEqual([expect.stringContaining('about 5 hours ago')])
  expect(labels(house, ANNA)).toEqual([['Answer it', 'Leave it']])

  await press(house, 'Answer it')
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual(['Hello!'])
  expect(labels(house, ANNA)).toEqual([])
  expect(house.service.completions[0]?.prompt).toBe('Hello?')
})

test('a message that was sent less than an hour before is answered', async () => {
  const house = await createHouse()
  house.service.onCompletion(hello)
  const bot = await house.startBot()

  await bot.receive({ update_id: 1, message: sentBefore(HOUR_MS * 0.9) })
  await ended(house)

  expect(house.said(ANNA)).toEqual(['Hello!'])
})

test('a late message that its user leaves, asked about after a crash, stays unanswered and out of the history', async () => {
  const house = await createHouse()
  await hold(house, 72 * HOUR_MS)
  house.service.onCompletion(hello)
  await house.startBot()
  await ended(house)
  expect(house.said(ANNA)).toEqual([expect.stringContaining('about 3 days ago')])

  await press(house, 'Leave it')
  await house.playground.waitFor(() => labels(house, ANNA).length === 0)
  house.playground.userSends({ userId: ANNA, text: 'next' })
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual([expect.stringContaining('stays unanswered'), 'Hello!'])
  expect(house.service.completions[0]?.request.messages).toHaveLength(1)
  expect((await turns(house))[0]).toMatchObject({ state: 'declined', charge: [] })
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

/** Leaves a message in the database that was found late, as a crash before the question does. */
async function hold(house: House, ageMs: number): Promise<void> {
  const sentAt = new Date(Date.now() - ageMs)
  const { prisma } = house.database
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
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
}

function hello(completion: OpenCompletion): void {
  completion.delta('Hello!')
  completion.finish()
}
