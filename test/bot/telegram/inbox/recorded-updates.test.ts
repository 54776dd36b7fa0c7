import { beforeEach, expect, test } from 'vitest'
import type { UpdateFacts } from '../../../../src/bot/telegram/inbox/leased-handling.ts'
import {
  createInboxSetup,
  type InboxSetup,
  messageUpdate,
  type StartedInbox,
} from './inbox-setup.ts'

const CHATS = 20
const ROUNDS = 6
const NOW = Math.floor(Date.now() / 1000)

let setup: InboxSetup

beforeEach(async () => {
  setup = await createInboxSetup()
})

function createRecord(answer: () => Promise<unknown> = async () => {}) {
  const done: string[] = []
  const recorded: string[] = []
  const turns: string[] = []
  const overlaps: string[] = []
  const running = new Set<string>()
  const waits: { isOver: () => boolean; resolve: () => void }[] = []
  return { done, recorded, turns, overlaps, handle, until }

  async function handle(text: string, facts: UpdateFacts): Promise<void> {
    const [chat = ''] = text.split(' ')
    if (!text.endsWith('?')) done.push(text)
    else if (facts.isBeside) {
      recorded.push(text)
      facts.onRecorded()
    } else {
      facts.onRecorded()
      if (running.has(chat)) overlaps.push(text)
      running.add(chat)
      turns.push(text)
      look()
      await answer()
      running.delete(chat)
    }
    look()
  }

  function look(): void {
    for (const { isOver, resolve } of waits) if (isOver()) resolve()
  }

  async function until(isOver: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waits.push({ isOver, resolve })
    if (isOver()) resolve()
    await promise
  }
}

type Record = ReturnType<typeof createRecord>

function startWith(record: Record): Promise<StartedInbox> {
  return setup.start({
    delivery: 'webhook',
    onText: (text, _inbox, facts) => record.handle(text, facts),
  })
}

test('what needs no turn is handled beside one; questions have theirs after it, in the order of sending', async () => {
  const gate = Promise.withResolvers<void>()
  const record = createRecord(() => gate.promise)
  const { inbox } = await startWith(record)

  for (const [index, text] of ['/a 1?', '/a 2', '/a 3?', '/a 4', '/a 5?', '/a 6'].entries()) {
    await inbox.receive(messageUpdate(10 + index, text, { date: NOW }))
  }
  await record.until(() => record.done.length === 3 && record.recorded.length === 2)
  expect(record.turns).toEqual(['/a 1?'])
  gate.resolve()
  await record.until(() => record.turns.length === 3)
  await inbox.stop(5000)

  expect(record).toMatchObject({
    done: ['/a 2', '/a 4', '/a 6'],
    recorded: ['/a 3?', '/a 5?'],
    turns: ['/a 1?', '/a 3?', '/a 5?'],
    overlaps: [],
  })
  expect(await setup.unhandledTexts()).toEqual([])
})

test('two instances share questions and commands of 20 chats: in order, and no turn beside another one', async () => {
  const record = createRecord(async () => {
    for (let pause = 0; pause < 3; pause++) await new Promise(setImmediate)
  })
  const [one, two] = await Promise.all([startWith(record), startWith(record)])
  const updates = Array.from({ length: CHATS * ROUNDS * 3 }, (_, index) => {
    const chat = index % CHATS
    const number = Math.floor(index / CHATS)
    const text = `/${chat} ${number}${number % 3 === 1 ? '' : '?'}`
    return messageUpdate(500 + index, text, { chatId: 1_000 + chat, date: NOW })
  })

  await Promise.all(
    updates.map((update, index) => (index % 2 === 0 ? one : two).inbox.receive(update)),
  )
  await record.until(
    () => record.turns.length === CHATS * ROUNDS * 2 && record.done.length === CHATS * ROUNDS,
  )

  expect(record.overlaps).toEqual([])
  const numbers = Array.from({ length: ROUNDS * 3 }, (_, number) => number)
  for (let chat = 0; chat < CHATS; chat++) {
    expect(ofChat(record.turns, chat)).toEqual(numbers.filter((number) => number % 3 !== 1))
    expect(ofChat(record.done, chat)).toEqual(numbers.filter((number) => number % 3 === 1))
  }
})

test('an instance takes over what one that was killed had recorded, and keeps the order', async () => {
  const before = createRecord(() => new Promise(() => {}))
  const one = await startWith(before)
  for (const [index, text] of ['/a 1?', '/a 2?', '/a 3', '/a 4?'].entries()) {
    await one.inbox.receive(messageUpdate(10 + index, text, { date: NOW }))
  }
  await before.until(() => before.recorded.length === 2)
  await expect.poll(() => leases(one)).toBe(1)
  await one.kill()

  const after = createRecord()
  await startWith(after)
  await after.until(() => after.turns.length === 3)

  expect(after).toMatchObject({ done: [], recorded: [], turns: ['/a 1?', '/a 2?', '/a 4?'] })
})

test('an instance that is killed while it records an update leaves it to another one, before what follows', async () => {
  const before = createRecord(() => new Promise(() => {}))
  const one = await setup.start({
    delivery: 'webhook',
    onText: (text, _inbox, facts) =>
      text === '/a 2?' ? new Promise(() => {}) : before.handle(text, facts),
  })
  for (const [index, text] of ['/a 1?', '/a 2?', '/a 3'].entries()) {
    await one.inbox.receive(messageUpdate(10 + index, text, { date: NOW }))
  }
  await setup.waitUntil(() => one.handled.includes('/a 2?'))
  await one.kill()

  const gate = Promise.withResolvers<void>()
  const after = createRecord(() => gate.promise)
  const two = await startWith(after)
  await after.until(() => after.done.length === 1)
  gate.resolve()
  await after.until(() => after.turns.length === 2)

  expect(one.handled).not.toContain('/a 3')
  expect(two.handled).toEqual(['/a 1?', '/a 2?', '/a 3', '/a 2?'])
})

function ofChat(texts: readonly string[], chat: number): number[] {
  return texts
    .filter((text) => text.startsWith(`/${chat} `))
    .map((text) => Number.parseInt(text.split(' ')[1] ?? '', 10))
}

async function leases({ instanceId }: StartedInbox): Promise<number> {
  return setup.database.prisma.update.count({ where: { leaseOwner: instanceId } })
}
