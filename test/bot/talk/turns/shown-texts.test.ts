import { pino } from 'pino'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createShownTexts } from '../../../../src/bot/talk/turns/shown-texts.ts'
import type { Prisma } from '../../../../src/platform/database/generated/client.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

const LEASE_OWNER = 1

let database: TestDatabase
let answered: { id: bigint }[]

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  answered = await Promise.all([701, 702, 703].map(begin))
})

// Promise: A process dies, or stops, right after an edit of a growing answer
test('texts that grow are recorded half a second later, the newest of each, all in one statement', async () => {
  const { clock, texts, statements } = openTexts()

  for (const { id } of answered) texts.record(id, 'One')
  for (const { id } of answered) texts.record(id, 'One two')
  await clock.run(499)
  expect(await shown()).toEqual(['', '', ''])
  await clock.run(1)
  await texts.write()

  expect(await shown()).toEqual(['One two', 'One two', 'One two'])
  expect(statements()).toBe(1)
})

// Promise: A turn’s row is locked while many answers grow
test('a record that comes late makes no text shorter', async () => {
  const { texts } = openTexts()
  const [first] = answered
  if (first === undefined) throw new Error('no turn')
  texts.record(first.id, 'One')
  await change(first.id, { shownText: 'One two' })

  await texts.write()

  expect(await shown()).toEqual(['One two', '', ''])
})

test('a turn that ended, one of another process and one whose text was dropped keep theirs', async () => {
  const { texts } = openTexts()
  const [ended, foreign, dropped] = answered
  if (!ended || !foreign || !dropped) throw new Error('no turn')
  await change(ended.id, { state: 'failed' })
  await change(foreign.id, { leaseOwner: 2 })

  for (const { id } of answered) texts.record(id, 'One')
  texts.drop(dropped.id)
  await texts.write()

  expect(await shown()).toEqual(['', '', ''])
})

// Promise: A turn’s row is locked while many answers grow
test('a turn that another statement has locked holds up the record of no other, and is recorded next', async () => {
  const { texts } = openTexts()
  const [locked] = answered
  if (locked === undefined) throw new Error('no turn')
  await database.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT FROM bot.turn WHERE id = ${locked.id} FOR UPDATE`
    for (const { id } of answered) texts.record(id, 'One')
    await texts.write()
    expect(await shown()).toEqual(['', 'One', 'One'])
  })

  texts.record(locked.id, 'One two')
  await texts.write()

  expect(await shown()).toEqual(['One two', 'One', 'One'])
})

test('what is not recorded yet when the process stops is recorded at once', async () => {
  const { texts, stop } = openTexts()
  for (const { id } of answered) texts.record(id, 'One')

  stop()
  await expect.poll(shown).toEqual(['One', 'One', 'One'])
})

function openTexts() {
  const clock = createManualClock()
  const { prisma } = database
  const stopping = new AbortController()
  let statements = 0
  const texts = createShownTexts({
    prisma: {
      $executeRawUnsafe: (sql, ...values) => {
        statements++
        return prisma.$executeRawUnsafe(sql, ...values)
      },
    },
    leaseOwner: LEASE_OWNER,
    clock,
    log: pino({ level: 'silent' }),
    signal: stopping.signal,
  })
  return { clock, texts, statements: () => statements, stop: () => stopping.abort() }
}

async function shown(): Promise<string[]> {
  const rows = await database.prisma.turn.findMany({ orderBy: { chatId: 'asc' } })
  return rows.map(({ shownText }) => shownText)
}

async function change(id: bigint, data: Prisma.TurnUpdateInput): Promise<void> {
  await database.prisma.turn.update({ where: { id }, data })
}

function begin(chatId: number): Promise<{ id: bigint }> {
  return database.prisma.turn.create({
    data: {
      chatId,
      promptMessageId: 7,
      model: 'alpha-large',
      leaseOwner: LEASE_OWNER,
      conversation: { create: { chatId } },
      user: { create: { id: chatId, firstName: 'Anna' } },
    },
  })
}
