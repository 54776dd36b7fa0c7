import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { press } from '../reply/buttons.ts'

// Promise: A conversation is entered, or begun, while an answer is written and another question waits
test('an answer that runs, and a question that waits, stay in their conversation when another is entered', async () => {
  const setup = await createBotSetup()
  const { playground, service, textsIn, database } = setup
  await setup.startBot()
  playground.userSends({ userId: ANNA, text: 'First' })
  const first = await service.next()
  first.answer('One')
  await playground.waitFor(() => textsIn(ANNA).includes('One'))
  await say(setup, '/new')
  playground.userSends({ userId: ANNA, text: 'Second' })
  const running = await service.next()
  running.delta('Two')
  await playground.waitFor(() => textsIn(ANNA).includes('Two'))
  playground.userSends({ userId: ANNA, text: 'Third' })
  await expect.poll(() => database.prisma.turn.count()).toBe(3)

  await say(setup, '/chats')
  await press(setup, '2. First')
  playground.userSends({ userId: ANNA, text: 'Fourth' })
  await expect.poll(() => database.prisma.turn.count()).toBe(4)
  running.finish()
  const third = await service.next()
  third.answer('Three')
  const fourth = await service.next()
  fourth.answer('Four')
  await playground.waitFor(() => textsIn(ANNA).includes('Four'))

  expect(wordsOf(third)).toEqual(['Second', 'Two', 'Third'])
  expect(wordsOf(fourth)).toEqual(['First', 'One', 'Fourth'])
})

// Promise: A conversation is named while an answer is written
test('the name of a conversation is taken while an answer is written, and is no question', async () => {
  const setup = await createBotSetup()
  const { playground, service, textsIn, database } = setup
  await setup.startBot()
  playground.userSends({ userId: ANNA, text: 'First' })
  const running = await service.next()
  running.delta('On')
  await playground.waitFor(() => textsIn(ANNA).includes('On'))

  await say(setup, '/chats')
  await press(setup, '1. First')
  await press(setup, 'Rename')
  const asking = await playground.waitFor((it) =>
    it.transcript(ANNA).find(({ text }) => text?.includes('what should “First” be called?')),
  )
  const asked = { where: { namingMessageId: asking.id } }
  await expect.poll(() => database.prisma.conversation.count(asked)).toBe(1)
  playground.userSends({ userId: ANNA, text: 'Ports', replyToMessageId: asking.id })
  await playground.waitFor(() => textsIn(ANNA).some((text) => text?.includes('now called “Ports”')))
  running.delta('e')
  running.finish()
  await playground.waitFor(() => textsIn(ANNA).includes('One'))

  expect(service.completions).toHaveLength(1)
})

async function say({ playground, textsIn }: BotSetup, text: string): Promise<void> {
  const before = textsIn(ANNA).length
  playground.userSends({ userId: ANNA, text })
  await playground.waitFor(() => textsIn(ANNA).length > before)
}

function wordsOf({ request }: { request: { messages: { content: string }[] } }): string[] {
  return request.messages.map(({ content }) => content)
}
