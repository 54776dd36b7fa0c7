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

test('in a group /forget asks nothing', async () => {
  const { send, playground, handleAll } = await setUp()
  const userId = await send('hello')
  playground.addGroup({ id: GROUP, title: 'Friends', members: [userId] })

  playground.userSends({ userId, chatId: GROUP, text: '/forget' })
  await handleAll()

  expect(playground.transcript(GROUP).at(-1)?.text).toContain('only in our private chat')
})

test('while a video is under way nothing is erased', async () => {
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
})
