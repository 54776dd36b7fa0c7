import { expect, test } from 'vitest'
import { addTurn, buttonsOf, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

const GROUP = -70

test('/forget asks first; Keep leaves everything as it is', async () => {
  const { send, press, answerTo, playground } = await setUp()
  const userId = await send('/forget')
  const conversationId = await addTurn(userId, { prompt: 'Why?', answer: 'Because.' })
  expect(await answerTo(userId)).toContain('Delete everything')
  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([
    ['Delete', 'Keep'],
    ['« Settings'],
  ])

  await press(userId, 'Keep')

  expect(await answerTo(userId)).toBe('Nothing was deleted.')
  expect(buttonsOf(playground.transcript(userId).at(-1))).toEqual([])
  expect(await database.prisma.message.count({ where: { conversationId } })).toBe(2)
})

test('a question that is older than five minutes erases nothing', async () => {
  let now = new Date()
  const { send, press, answerTo } = await setUp({ now: async () => now })
  const userId = await send('/forget')
  const conversationId = await addTurn(userId, { prompt: 'Why?', answer: 'Because.' })
  now = new Date(now.getTime() + 301_000)

  await press(userId, 'Delete')

  expect(await answerTo(userId)).toContain('too old')
  expect(await database.prisma.message.count({ where: { conversationId } })).toBe(2)
})

test('in a group only who asked may press', async () => {
  const { send, playground, handleAll } = await setUp()
  const [asker, other] = [await send('hello'), await send('hello')]
  playground.addGroup({ id: GROUP, title: 'Friends', members: [asker, other] })
  playground.userSends({ userId: asker, chatId: GROUP, text: '/forget' })
  await handleAll()
  const question = playground.transcript(GROUP).at(-1)
  const markup = question?.replyMarkup
  const button = markup && 'inline_keyboard' in markup ? markup.inline_keyboard[0]?.[0] : undefined
  const data = button && 'callback_data' in button ? button.callback_data : ''

  const messageId = question?.id ?? 0
  const id = playground.presses({ userId: other, chatId: GROUP, messageId, data })
  await handleAll()

  expect(playground.pressed(id)?.answer?.text).toContain('Only the person who asked')
  expect(playground.transcript(GROUP).at(-1)?.text).toContain('Delete everything')
})

test('while a video is under way nothing is erased, before and after the question', async () => {
  const { send, press, answerTo } = await setUp()
  const userId = await send('/forget')
  await addTurn(userId, { prompt: 'Why?', answer: 'Because.' })
  const media = { kind: 'video', params: {}, label: 'vidgen-720p-5s' } as const
  const asked = { userId, chatId: userId, originKey: `message ${userId} 1`, replyToMessageId: 1 }
  const order = { ...asked, ...media }
  await database.prisma.order.create({ data: order })

  await press(userId, 'Delete')

  expect(await answerTo(userId)).toContain('One of your orders is still being made')
  expect(await database.prisma.turn.count({ where: { userId } })).toBe(1)
  await send('/forget', { userId })
  expect(await answerTo(userId)).toContain('One of your orders is still being made')
})
