import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveChat } from '../../../src/bot/conversations/move-chat.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { followMoves } from '../../../src/bot/telegram/moves.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { openPlayground } from '../../playground/open-playground.ts'
import { addCharge } from '../spend/add-charge.ts'

const GROUP = -50
const SUPERGROUP = -1_001_111_111_111

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

const FRIENDS = { firstName: 'Friends', language: 'ru', mediaSettings: { sound: { duration: 9 } } }

async function fillGroup(): Promise<void> {
  const { prisma } = database
  await prisma.user.create({ data: { ...FRIENDS, id: GROUP } })
  const { id: conversationId } = await prisma.conversation.create({
    data: { chatId: GROUP },
  })
  const asked = { chatId: GROUP, userId: GROUP }
  const turn = { ...asked, conversationId, promptMessageId: 7, model: 'alpha', messageIds: [8] }
  const { id: turnId } = await prisma.turn.create({ data: turn })
  await prisma.message.create({ data: { conversationId, turnId, role: 'user', content: 'hi' } })
  await addCharge(prisma, { userId: GROUP, turnId, request: 1, amountMicroRub: 5n })
  const media = { kind: 'video', params: {}, label: 'video', originKey: 'message -5 7' } as const
  const order = { ...asked, ...media, replyToMessageId: 7, statusMessageId: 9 }
  await prisma.order.create({ data: order })
  const card = { ...asked, kind: 'video', originKey: 'message -50 7', replyToMessageId: 7 } as const
  const draft = { state: 'draft', params: {}, label: 'video', draft: {} } as const
  await prisma.order.create({ data: { ...card, ...draft } })
  await prisma.chat.create({ data: { id: GROUP, format: 'plain' } })
}

test('moveChat() takes everything along once, however often and at once it is called', async () => {
  const { prisma } = database
  await fillGroup()

  const move = { from: GROUP, to: SUPERGROUP }
  await Promise.all([moveChat(prisma, move), moveChat(prisma, move)])
  // A new message with an old number is another one.
  const { conversationId } = await prisma.turn.findFirstOrThrow()
  const chatId = SUPERGROUP
  const turn = { conversationId, chatId, userId: chatId, promptMessageId: 7, model: 'alpha' }
  await prisma.turn.create({ data: turn })
  await moveChat(prisma, move)

  expect(await prisma.conversation.findMany()).toMatchObject([{ chatId: BigInt(chatId) }])
  const turns = await prisma.turn.findMany({ orderBy: { id: 'asc' } })
  expect(turns.map(({ promptMessageId, messageIds }) => [promptMessageId, messageIds])).toEqual([
    [-7, []],
    [7, []],
  ])
  // Cards stay behind.
  expect(await prisma.order.findMany()).toMatchObject([
    {
      chatId: BigInt(SUPERGROUP),
      userId: BigInt(SUPERGROUP),
      state: 'placed',
      replyToMessageId: -7,
      statusMessageId: null,
    },
  ])
  expect(await prisma.charge.findFirst()).toMatchObject({
    userId: BigInt(SUPERGROUP),
    chatId: BigInt(SUPERGROUP),
    amountMicroRub: 5n,
  })
  expect(await prisma.chat.findMany()).toMatchObject([{ id: BigInt(SUPERGROUP), format: 'plain' }])
  expect(await prisma.user.findMany()).toEqual([
    expect.objectContaining({ ...FRIENDS, id: BigInt(SUPERGROUP) }),
  ])
})

test('followMoves() has messages to the old chat arrive in the new one, and edits follow them', async () => {
  const { playground, apiRoot } = await openPlayground()
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const moves: unknown[] = []
  const outbox = followMoves(createOutbox({ api }), async (move) => void moves.push(move))
  playground.addGroup({ id: GROUP, title: 'Friends', members: [5] })
  const before = await outbox.send({ chatId: GROUP, text: 'Before' })
  playground.migrates(GROUP, SUPERGROUP)

  const outcome = await outbox.edit(before, 'Changed')
  const after = await outbox.send({ chatId: GROUP, text: 'After', replyToMessageId: 1 })
  await outbox.edit({ ...after, chatId: GROUP }, 'After all')

  expect(outcome).toBe('gone')
  expect(after.chatId).toBe(SUPERGROUP)
  expect(moves).toContainEqual({ from: GROUP, to: SUPERGROUP })
  expect(playground.transcript(SUPERGROUP).at(-1)?.text).toBe('After all')
})
