import { expect, test } from 'vitest'
import { type DigestDeps, sendDigestIfDue } from '../../../src/bot/admin/digest.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { TelegramError } from '../../../src/bot/telegram/errors.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { addCharge } from '../spend/add-charge.ts'
import { ADMIN, createDigestSetup, type Sent, VIEWER } from './digest-setup.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
/** Ten o'clock in Moscow. */
const TEN = new Date('2026-11-22T07:00:00Z')
const never = new AbortController().signal

async function setUpTwo({ of }: { of?: Partial<DigestDeps> } = {}) {
  const setup = await createDigestSetup()
  await setup.clock.stopAt(TEN)
  const one = setup.open()
  const processes = [one, setup.open()].map(({ deps }) => ({ ...deps, ...of }))
  const { prisma } = one.database
  await spend(prisma)
  const sendAll = () => Promise.all(processes.map((deps) => sendDigestIfDue(deps, never)))
  return { ...setup, prisma, sendAll }
}

async function setUpOne(send: (sent: Sent) => Promise<void>) {
  const setup = await createDigestSetup()
  await setup.clock.stopAt(TEN)
  const { database, deps } = setup.open({ send })
  await spend(database.prisma)
  return { setup, sendIfDue: (signal: AbortSignal) => sendDigestIfDue(deps, signal) }
}

async function spend(prisma: PrismaClient) {
  await prisma.user.create({ data: { id: 101, firstName: 'Anna' } })
  const days = [
    [1, 30],
    [10, 40],
    [25, 500],
  ] as const
  for (const [ago, rub] of days) {
    const at = new Date(TEN.getTime() - ago * DAY_MS)
    await addCharge(prisma, { userId: 101, amountMicroRub: BigInt(rub) * 1_000_000n, at })
  }
}

test('admins and viewers have the digest once, with its picture, in their languages', async () => {
  const { prisma, sent, sendAll } = await setUpTwo()
  await failOrder(prisma, new Date('2026-11-20T21:00:00Z'))
  await failOrder(prisma, new Date('2026-11-21T21:00:00Z'))

  await sendAll()
  await sendAll()

  const [toAdmin, toViewer] = sent.toSorted((one, other) => one.chatId - other.chatId)
  expect(sent).toHaveLength(2)
  expect(toAdmin).toEqual({
    chatId: ADMIN.userId,
    hasPicture: true,
    text: [
      'Yesterday, 21 November: ₽30.00\nThis month: ₽70.00\nFailed orders yesterday: 1',
      'Top spenders, last 30 days:\n1. Anna: ₽570.00',
      'Balance: ₽900.00, enough for 3 days at the recent pace',
    ].join('\n\n'),
  })
  expect(toViewer?.chatId).toBe(VIEWER.userId)
  expect(toViewer?.text).toMatch(/^Вчера, 21 ноября: 30,00\s₽\nЗа этот месяц: 70,00\s₽\n/)
  expect(toViewer?.text).toMatch(/хватит на 3 дня$/)
})

test('nothing is sent before the hour, and the digest once on each day after it', async () => {
  const { clock, sent, sendAll } = await setUpTwo()
  await clock.advance(-1)
  await sendAll()
  expect(sent).toEqual([])

  await clock.advance(1)
  await sendAll()
  expect(sent).toHaveLength(2)

  await clock.advance(DAY_MS - 1)
  await sendAll()
  expect(sent).toHaveLength(2)

  await clock.advance(1)
  await sendAll()
  expect(sent).toHaveLength(4)
})

test('processes that slept through the hour send the digest later on the same day, not on the next', async () => {
  const { clock, sent, sendAll } = await setUpTwo()

  await clock.advance(13 * HOUR_MS)
  await sendAll()
  expect(sent).toHaveLength(2)

  await clock.advance(DAY_MS + 2 * HOUR_MS)
  await sendAll()
  expect(sent).toHaveLength(2)

  await clock.advance(10 * HOUR_MS)
  await sendAll()
  expect(sent).toHaveLength(4)
  expect(sent.at(-1)?.text).toMatch(/23 (November|ноября)/)
})

test.each([
  // At 2:00 the clocks go to 3:00.
  ['2026-03-29', ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z']],
  // At 3:00 they go back to 2:00, which is there twice.
  ['2026-10-25', ['2026-10-24T23:59:59Z', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z']],
])('on %s, when the clocks change at the hour, the digest is sent once', async (_, times) => {
  const { clock, open, sent } = await createDigestSetup({ timeZone: 'Europe/Berlin' })
  const { database, deps } = open()
  await database.prisma.user.create({ data: { id: 101, firstName: 'Anna' } })
  await addCharge(database.prisma, { userId: 101, amountMicroRub: 5n, at: '2026-01-01T00:00:00Z' })
  const storedSettings = new StoredSettings(database.prisma)
  await storedSettings.set({ digestHour: 2 }, { adminId: 1 })

  const counts: number[] = []
  for (const at of times) {
    await clock.stopAt(new Date(at))
    await sendDigestIfDue(deps, never)
    counts.push(sent.length)
  }

  expect(counts).toEqual([0, 2, 2].slice(0, times.length))
})

test('who cannot be reached is not tried again that day; the others have it', async () => {
  const tried: number[] = []
  const { setup, sendIfDue } = await setUpOne(async ({ chatId }) => {
    tried.push(chatId)
    if (chatId === ADMIN.userId)
      throw new TelegramError({ code: 'chat_unreachable', chatId, reason: 'bot was blocked' })
  })

  await sendIfDue(never)
  await sendIfDue(never)

  expect(tried.toSorted()).toEqual([ADMIN.userId, VIEWER.userId])
  expect(setup.sent.map(({ chatId }) => chatId)).toEqual([VIEWER.userId])
})

test('while one process sends, or after it died at that, another sends no second digest', async () => {
  const gate = Promise.withResolvers<void>()
  const setup = await createDigestSetup()
  await setup.clock.stopAt(TEN)
  const dying = setup.open({ send: () => gate.promise })
  await spend(dying.database.prisma)
  const sending = sendDigestIfDue(dying.deps, never)
  await expect.poll(() => dying.database.prisma.alert.count()).toBe(2)

  await sendDigestIfDue(setup.open().deps, never)

  expect(setup.sent).toEqual([])
  gate.resolve()
  await sending
  expect(setup.sent).toHaveLength(2)
})

async function failOrder(prisma: PrismaClient, endedAt: Date) {
  await prisma.order.create({
    data: {
      userId: 101,
      chatId: 101,
      kind: 'video',
      label: 'x',
      params: {},
      replyToMessageId: 1,
      originKey: endedAt.toISOString(),
      state: 'failed',
      endedAt,
    },
  })
}
