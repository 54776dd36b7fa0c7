import fastify from 'fastify'
import type { Update } from 'grammy/types'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTelegramApi } from '../../../../src/bot/telegram/api.ts'
import { createWebhookPlugin, setWebhook } from '../../../../src/bot/telegram/inbox/webhook.ts'
import {
  createInboxSetup,
  type InboxSetup,
  messageUpdate,
  type StartedInbox,
} from './inbox-setup.ts'

const CHATS = 50
const NOW = Math.floor(Date.now() / 1000)

let setup: InboxSetup

beforeEach(async () => {
  setup = await createInboxSetup()
})

test('messages that are one prompt reach the handler as one, also by two instances', async () => {
  const options = { delivery: 'webhook' } as const
  const [one, two] = await Promise.all([setup.start(options), setup.start(options)])
  const parts = ['a'.repeat(4096), 'b'.repeat(4096), 'the end']
  const updates = parts.map((text, index) => messageUpdate(20 + index, text, { date: NOW }))

  const [first, ...others] = updates.toReversed()
  if (first) await one.inbox.receive(first)
  await Promise.all(others.map((update) => two.inbox.receive(update)))
  await setup.waitUntil(() => handledCount(one, two) === 1)
  await Promise.all([one.inbox.stop(5000), two.inbox.stop(5000)])

  expect([...one.handled, ...two.handled]).toEqual([parts.join('')])
  expect(await setup.unhandledTexts()).toEqual([])
})

test.each(['poll', 'webhook'] as const)(
  'by %s a comment that came alone is one prompt with what was forwarded with it, in 50 chats of 50',
  async (delivery) => {
    await setup.waitLonger()
    const [one, two] = await Promise.all([setup.start({ delivery }), setup.start({ delivery })])
    if (delivery === 'webhook') await receiveFromTelegram([one, two])
    const people = Array.from({ length: CHATS }, (_, index) => 1_000 + index)
    for (const id of people) setup.playground.addUser({ id, firstName: 'Somebody' })

    for (const userId of people) setup.playground.userSends({ userId, text: 'What is this?' })
    await expect.poll(() => setup.database.prisma.update.count()).toBe(CHATS)
    for (const userId of people) {
      for (const text of ['One.', 'Two.']) {
        setup.playground.userSends({ userId, text, forwardFrom: 'Vera' })
      }
    }
    await setup.waitUntil(() => handledCount(one, two) >= CHATS)
    await expect.poll(() => setup.unhandledTexts()).toEqual([])

    const prompt = 'What is this?\n\nOne.\n\nTwo.'
    expect([...one.handled, ...two.handled]).toEqual(people.map(() => prompt))
  },
)

test('messages that are one prompt stay together when the instance that joined them is killed', async () => {
  const stuck = Promise.withResolvers<void>()
  const one = await setup.start({ onText: () => stuck.promise })
  const parts = ['a'.repeat(4096), 'the end']
  for (const text of parts) setup.playground.userSends({ userId: 101, text })
  await setup.waitUntil(() => one.handled.length === 1)
  await one.kill()

  const two = await setup.start()
  await setup.waitUntil(() => two.handled.length === 1)

  expect(two.handled).toEqual([parts.join('')])
})

async function receiveFromTelegram(inboxes: readonly StartedInbox[]): Promise<void> {
  const http = fastify()
  let received = 0
  const receive = (update: Update) => inboxes[received++ % inboxes.length]?.inbox.receive(update)
  await http.register(createWebhookPlugin({ secret: 'secret', receive }))
  const publicUrl = await http.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => http.close())
  const { apiRoot, playground } = setup
  const { calls } = createTelegramApi({ token: playground.token, apiRoot })
  await setWebhook(calls, { publicUrl, secret: 'secret' })
}

function handledCount(...inboxes: StartedInbox[]): number {
  return inboxes.reduce((sum, { handled }) => sum + handled.length, 0)
}
