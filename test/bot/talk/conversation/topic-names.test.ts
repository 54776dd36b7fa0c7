import { expect, test } from 'vitest'
import { ANNA, createBotSetup } from '../../bot-setup.ts'

async function setUpTopic(name?: string) {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion((completion) => completion.answer(`Answer to ${completion.prompt}`))
  const threadId = setup.playground.addTopic(ANNA, name)
  return { ...setup, threadId, nameOf: () => setup.playground.topicName(ANNA, threadId), ask }

  async function ask(text: string): Promise<void> {
    setup.playground.userSends({ userId: ANNA, threadId, text })
    const answer = `Answer to ${text}`
    await setup.playground.waitFor(() => setup.textsIn(ANNA).includes(answer))
    const unhandled = { where: { handledAt: null } }
    await expect.poll(() => setup.database.prisma.update.count(unhandled)).toBe(0)
  }
}

test('a topic of a private chat that was opened without a name is named by its first words', async () => {
  const { ask, nameOf } = await setUpTopic()

  await ask('How do I open port 80?')
  expect(nameOf()).toBe('How do I open port 80?')
  await ask('And port 443?')

  expect(nameOf()).toBe('How do I open port 80?')
})

test('a topic keeps the name that its user gave it, at once or before the first question', async () => {
  const named = await setUpTopic('Servers')
  const renamed = await setUpTopic()
  renamed.playground.renamesTopic(ANNA, renamed.threadId, 'Ports')

  await named.ask('How do I open port 80?')
  await renamed.ask('How do I open port 80?')

  expect([named.nameOf(), renamed.nameOf()]).toEqual(['Servers', 'Ports'])
})
