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
const NOW = Math.floor(Date.now() / 1000)
const PARTS = ['a'.repeat(4096), 'b'.repeat(4096), 'the end']
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

test('of two instances that both get every update the active one handles each once, in order', async () => {
  const { orders, overlaps, handle } = createRecord()
  const active = await setup.start({ delivery: 'webhook', onText: handle })
  const standby = await setup.start({ delivery: 'webhook', isActive: false })
  const updates = conversation()
  const [first, ...others] = updates
  if (first) await active.inbox.receive(first)

  await Promise.all([
    receiveAll(shuffled(others), [active, standby]),
    receiveAll(shuffled(others), [standby, active]),
  ])
  await setup.waitUntil(() => active.handled.length >= UPDATES)
  await Promise.all([active.inbox.stop(5000), standby.inbox.stop(5000)])

  inOrder(orders)
  expect(overlaps).toEqual([])
  expect(standby.handled).toEqual([])
  expect(await setup.unhandledTexts()).toEqual([])
})

test('an instance takes over, in order, what one that was killed had not handled', async () => {
  const stuck = Promise.withResolvers<void>()
  const { orders, overlaps, handle } = createRecord()
  const one = await setup.start({ delivery: 'webhook', onText: () => stuck.promise })
  const updates = conversation()
  await receiveAll(updates.slice(0, 200), [one])
  await setup.waitUntil(() => one.handled.length === CHATS)
  await one.kill()

  const two = await setup.start({ delivery: 'webhook', onText: handle })
  await receiveAll(shuffled(updates.slice(200)), [two])
  await setup.waitUntil(() => two.handled.length === UPDATES)

  inOrder(orders)
  expect(overlaps).toEqual([])
})

test('messages that are one prompt reach the handler as one, also by two instances in any order', async () => {
  const active = await setup.start({ delivery: 'webhook' })
  const standby = await setup.start({ delivery: 'webhook', isActive: false })
  const updates = PARTS.map((text, index) => messageUpdate(20 + index, text, { date: NOW }))

  const [first, ...others] = updates.toReversed()
  await Promise.all([
    ...others.map((update) => standby.inbox.receive(update)),
    first && active.inbox.receive(first),
  ])
  await setup.waitUntil(() => active.handled.length === 1)
  await active.inbox.stop(5000)

  expect(active.handled).toEqual([PARTS.join('')])
  expect(active.facts[0]?.parts).toHaveLength(3)
  expect(await setup.unhandledTexts()).toEqual([])
})

test('a comment that came alone is one prompt with what was forwarded with it, in 50 chats', async () => {
  const { handled } = await setup.start()
  const people = Array.from({ length: CHATS }, (_, index) => 1_000 + index)
  for (const userId of people) {
    setup.playground.addUser({ id: userId, firstName: 'Somebody' })
    setup.playground.userSends({ userId, text: 'What is this?' })
    await new Promise(setImmediate)
    for (const text of ['One.', 'Two.']) {
      setup.playground.userSends({ userId, text, forwardFrom: 'Vera' })
    }
  }
  await setup.waitUntil(() => handled.length >= CHATS)
  await expect.poll(() => setup.unhandledTexts()).toEqual([])

  const prompt = 'What is this?\n\nOne.\n\nTwo.'
  expect(handled).toEqual(people.map(() => prompt))
})

test('messages that are one prompt stay together when the instance that joined them is killed', async () => {
  const stuck = Promise.withResolvers<void>()
  const one = await setup.start({ onText: () => stuck.promise })
  for (const text of PARTS) setup.playground.userSends({ userId: 101, text })
  await setup.waitUntil(() => one.handled.length === 1)
  await one.kill()

  const two = await setup.start()
  await setup.waitUntil(() => two.handled.length === 1)

  expect(two.handled).toEqual([PARTS.join('')])
  expect(two.facts[0]?.parts).toHaveLength(3)
})

test('parts that one instance left and parts that come after its end are one prompt', async () => {
  const one = await setup.start({ delivery: 'webhook', isActive: false })
  const [first, ...next] = PARTS.map((text, index) => messageUpdate(20 + index, text))
  if (first) await one.inbox.receive(first)
  await one.kill()

  const two = await setup.start({ delivery: 'webhook' })
  for (const update of next) await two.inbox.receive(update)
  await setup.waitUntil(() => two.handled.length === 1)

  expect(two.handled).toEqual([PARTS.join('')])
})

test('the edit of a part is one of the whole prompt, with the edits before it', async () => {
  const { inbox, handled } = await setup.start({ delivery: 'webhook' })
  for (const [index, text] of PARTS.entries()) await inbox.receive(messageUpdate(20 + index, text))
  await setup.waitUntil(() => handled.length === 1)

  await inbox.receive(editUpdate(23, 22, 'das Ende'))
  await setup.waitUntil(() => handled.length === 2)
  await inbox.receive(editUpdate(24, 20, 'Anfang '))
  await setup.waitUntil(() => handled.length === 3)

  expect(handled.slice(1)).toEqual([
    `${'a'.repeat(4096)}${'b'.repeat(4096)}das Ende`,
    `Anfang ${'b'.repeat(4096)}das Ende`,
  ])
})

function editUpdate(id: number, messageId: number, text: string): Update {
  const { message } = messageUpdate(messageId, text)
  return { update_id: id, edited_message: { ...message, edit_date: NOW } } as Update
}
