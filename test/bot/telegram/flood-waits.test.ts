import { GrammyError } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { Pacer } from '../../../src/bot/telegram/pacer.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const GROUP = -100_123
const TOO_MANY = { ok: false, error_code: 429, description: 'Too Many Requests' } as const

async function createProcesses() {
  const url = await createTestDatabase()
  const { stopAt, advance } = await createTestClock(url)
  await stopAt(new Date(0))
  const { prisma, close } = openTestDatabase({ url, connectionsMax: 4 })
  onTestFinished(close)
  return { start, advance, ends }

  function start() {
    const clock = createManualClock()
    const pacer = new Pacer({ clock, prisma })
    const made: number[] = []
    return { clock, pacer, made, send }

    function send(chatId: number, { urgency = 'new' as 'new' | 'typing', retryAfter = 0 } = {}) {
      const attempt = async () => {
        made.push(chatId)
        const refusal = { ...TOO_MANY, parameters: { retry_after: retryAfter } }
        if (retryAfter > 0) throw new GrammyError('Call failed', refusal, 'sendMessage', {})
      }
      void pacer.run({ chatId, urgency, attempt })
    }
  }

  async function ends(): Promise<Record<string, number>> {
    const rows = await prisma.floodWait.findMany()
    return Object.fromEntries(rows.map(({ chatId, until }) => [String(chatId), until.getTime()]))
  }
}

test('a long flood wait outlives its process, a short one is not worth a row', async () => {
  const { start, advance, ends } = await createProcesses()
  const first = start()
  first.send(5, { retryAfter: 9 })
  first.send(GROUP, { retryAfter: 36_000 })
  await expect.poll(ends).toEqual({ [GROUP]: 36_000_000 })
  await advance(20_000)

  const { pacer, clock, send, made } = start()
  await pacer.readFloodWaits()
  send(GROUP)
  send(5)
  await clock.run(35_979_999)

  expect(made).toEqual([5])
  await clock.run(1)
  expect(made).toEqual([5, GROUP])
  await advance(35_980_000)
  await pacer.readFloodWaits()
  expect(await ends()).toEqual({})
})

test('the wait of all chats is stored when three in a row are refused, and the wait that typing meets', async () => {
  const { start, ends } = await createProcesses()
  const { send } = start()

  send(7, { urgency: 'typing', retryAfter: 12 })
  for (const chatId of [4, 5, 6]) send(chatId, { retryAfter: 11 })

  await expect.poll(ends).toEqual({ '0': 11_000, '4': 11_000, '5': 11_000, '7': 12_000 })
})
