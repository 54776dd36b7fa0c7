import { pino } from 'pino'
import { expect, test } from 'vitest'
import { warnOfLimits } from '../../../src/bot/spend/near-limits.ts'
import type { Outbox } from '../../../src/bot/telegram/send.ts'
import { ANNA, BORIS, createBotSetup } from '../bot-setup.ts'
import { ADMIN, clock, processes, RUB, useLimits } from './limits-setup.ts'

const { limits, setLimit, charge } = useLimits()

const GROUP = -5

let lastUserId = 1000

/** Six charges at once in two processes. @returns The chats and texts of their warnings. */
async function warn(userId: number, chatId = userId): Promise<string[]> {
  const sent: Parameters<Outbox['send']>[0][] = []
  const outbox = {
    send: async (message: (typeof sent)[number]) => void sent.push(message) as never,
  }
  const limitTexts = { warning: ({ period }: { period: string }) => period }
  const log = pino({ level: 'silent' })
  const warnings = [...processes, ...processes, ...processes].map(({ prisma }, index) => {
    const context = { prisma, limits: limits(undefined, index), limitTexts, outbox, log }
    return warnOfLimits(context, { userId: BigInt(userId), chatId, threadId: 0 })
  })
  await Promise.all(warnings)
  return sent.map((message) => `${message.chatId} ${'text' in message && message.text}`)
}

test('four fifths of a limit are warned of once in a period, whichever process charges', async () => {
  const userId = ++lastUserId
  const warned = [`${userId} day`]
  await clock.stopAt(new Date('2026-05-05T10:00:00Z'))
  await setLimit({ subjectId: BigInt(userId), period: 'day' }, 10n)

  await charge({ userId }, 8n * RUB - 1n)
  expect(await warn(userId)).toEqual([])
  await charge({ userId }, 1n)
  expect(await warn(userId)).toEqual(warned)
  await charge({ userId }, 5n * RUB)
  expect(await warn(userId)).toEqual([])

  await clock.advance(24 * 3600_000)
  expect(await warn(userId)).toEqual([])
  await charge({ userId }, 9n * RUB)
  expect(await warn(userId)).toEqual(warned)
})

test('the user reads it after the answer, without a sound, and a group reads of its own', async () => {
  const setup = await createBotSetup()
  const { playground, database } = setup
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  playground.setBotStatus(GROUP, 'administrator')
  const limit = { period: 'month', amountMicroRub: 620_000n, setById: ADMIN } as const
  await database.prisma.spendLimit.createMany({
    data: [
      { ...limit, subjectId: ANNA },
      { ...limit, subjectId: GROUP },
    ],
  })
  await setup.startBot()
  setup.service.onCompletion((completion) => {
    completion.answer('Hello!')
  })

  playground.userSends({ userId: ANNA, text: 'Hello?' })
  await playground.waitFor(() => setup.textsIn(ANNA).length === 2)
  playground.userSends({ userId: BORIS, chatId: GROUP, text: '@kopeck_playground_bot hello' })
  await playground.waitFor(() => setup.textsIn(GROUP).length === 2)

  expect(setup.textsIn(ANNA)[1]).toMatch(
    /^You have spent ₽0\.50 of ₽0\.62 a month: ₽0\.12 is left\.\nThe limit resets on 1 \w+ \d{4}, 00:00\.$/,
  )
  expect(setup.textsIn(GROUP)[1]).toMatch(
    /^Эта группа потратила 0,50\u00a0₽ при лимите 0,62\u00a0₽ в месяц/,
  )
  const silent = playground.calls.filter(({ params }) => params.disable_notification)
  expect(silent.map(({ params }) => Number(params.chat_id))).toEqual([ANNA, GROUP])
})
