import type { Update } from 'grammy/types'
import { beforeEach, expect, test } from 'vitest'
import {
  createInboxSetup,
  type InboxSetup,
  messageUpdate,
  type StartedInbox,
} from './inbox-setup.ts'

const CHATS = 50
const UPDATES = 500
let setup: InboxSetup

beforeEach(async () => {
  setup = await createInboxSetup()
})

function createRecord() {
  const orders = new Map<string, number[]>()
  const running = new Map<string, number>()
  const overlaps: string[] = []
  return { orders, overlaps, handle }

  async function handle(text: string): Promise<void> {
    const [chat = '', number = ''] = text.split(' ')
    const before = running.get(chat) ?? 0
    if (before > 0) overlaps.push(text)
    running.set(chat, before + 1)
    orders.set(chat, [...(orders.get(chat) ?? []), Number(number)])
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    running.set(chat, (running.get(chat) ?? 1) - 1)
  }
}

/** 500 updates of 50 chats, as their chats sent them. Commands, which nothing is joined to. */
function conversation(): Update[] {
  return Array.from({ length: UPDATES }, (_, index) => {
    const chat = index % CHATS
    const number = Math.floor(index / CHATS)
    return messageUpdate(7_000 + index, `/${chat} ${number}`, { chatId: 1_000 + chat })
  })
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

function inOrder(orders: ReadonlyMap<string, number[]>): void {
  expect(orders.size).toBe(CHATS)
  const wanted = Array.from({ length: UPDATES / CHATS }, (_, number) => number)
  for (const numbers of orders.values()) expect(numbers).toEqual(wanted)
}

async function receiveAll(updates: readonly Update[], to: readonly StartedInbox[]): Promise<void> {
  await Promise.all(updates.map((update, index) => to[index % to.length]?.inbox.receive(update)))
}

const handledCount = (...inboxes: StartedInbox[]) =>
  inboxes.reduce((sum, { handled }) => sum + handled.length, 0)

test('two instances that both get every update handle each once', async () => {
  const { orders, overlaps, handle } = createRecord()
  const options = { delivery: 'webhook', onText: handle } as const
  const [one, two] = await Promise.all([setup.start(options), setup.start(options)])
  const updates = conversation()

  await Promise.all([
    receiveAll(shuffled(updates), [one, two]),
    receiveAll(shuffled(updates), [two, one]),
  ])
  await setup.waitUntil(() => handledCount(one, two) >= UPDATES)
  await Promise.all([one.inbox.stop(5000), two.inbox.stop(5000)])

  inOrder(orders)
  expect(overlaps).toEqual([])
})

test('an instance takes over, in order, what one that was killed had leased', async () => {
  const stuck = Promise.withResolvers<void>()
  const { orders, overlaps, handle } = createRecord()
  const one = await setup.start({ delivery: 'webhook', onText: () => stuck.promise })
  const updates = conversation()
  await receiveAll(shuffled(updates.slice(0, 200)), [one])
  await setup.waitUntil(() => one.handled.length === CHATS)
  await one.kill()

  const two = await setup.start({ delivery: 'webhook', onText: handle })
  await receiveAll(shuffled(updates.slice(200)), [two])
  await setup.waitUntil(() => two.handled.length === UPDATES)

  inOrder(orders)
  expect(overlaps).toEqual([])
})

test('a missing update holds back what comes after it until it comes', async () => {
  const { inbox, handled } = await setup.start({ delivery: 'webhook' })
  await inbox.receive(messageUpdate(10, '/1'))
  await setup.waitUntil(() => handled.length === 1)

  await setup.keepFresh()
  await inbox.receive(messageUpdate(12, '/3', { date: NOW }))
  await inbox.receive(messageUpdate(13, '/other', { chatId: 102, date: NOW }))
  // Telegram dates it no later than those after it.
  await inbox.receive(messageUpdate(11, '/2', { date: NOW }))
  await setup.waitUntil(() => handled.length === 4)

  expect(handled.filter((text) => text !== '/other')).toEqual(['/1', '/2', '/3'])
})

test('one instance polls, and when it is killed the other one does', async () => {
  const one = await setup.start()
  await setup.playground.waitFor(() => polls() === 1)
  const two = await setup.start()
  setup.playground.userSends({ userId: 101, text: 'one' })
  await setup.waitUntil(() => handledCount(one, two) === 1)
  await expect.poll(() => setup.unhandledTexts()).toEqual([])
  expect(setup.playground.calls.filter(({ status }) => status === 409)).toEqual([])
  await one.kill()
  await one.inbox.stop(0)

  setup.playground.userSends({ userId: 101, text: 'two' })
  await setup.waitUntil(() => two.handled.includes('two'))

  expect([...one.handled, ...two.handled]).toEqual(['one', 'two'])
})

const NOW = Math.floor(Date.now() / 1000)

function polls(): number {
  return setup.playground.calls.filter(({ method }) => method === 'getUpdates').length
}

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

test('a comment that came alone is one prompt with what was forwarded with it, in 50 chats of 50', async () => {
  await setup.waitLonger()
  const [one, two] = await Promise.all([setup.start(), setup.start()])
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
})

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
