import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { press } from '../reply/buttons.ts'

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

async function say({ playground, textsIn }: BotSetup, text: string): Promise<void> {
  const before = textsIn(ANNA).length
  playground.userSends({ userId: ANNA, text })
  await playground.waitFor(() => textsIn(ANNA).length > before)
}

function wordsOf({ request }: { request: { messages: { content: string }[] } }): string[] {
  return request.messages.map(({ content }) => content)
}
