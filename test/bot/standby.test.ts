import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { signCallback } from '../../src/contract/tasks.ts'
import { ANNA, BORIS, createBotSetup } from './bot-setup.ts'

const TAKE_OVER_MS = 10_000

/** Two bots on one database: the first is active, the second stands by. */
async function startTwo() {
  const setup = await createBotSetup()
  setup.service.onCompletion((completion) => completion.answer('Hello!'))
  const settings = { adminIds: new Set([BORIS]), allowedUserIds: new Set([BORIS]) }
  const first = await setup.startBot(settings)
  const second = await setup.startBot(settings)
  return { ...setup, first, second }
}

test('of two processes the second stands by and calls nothing of Telegram', async () => {
  const { playground, first, second, textsIn } = await startTwo()

  playground.userSends({ userId: BORIS, text: 'Hello?' })
  await playground.waitFor(() => textsIn(BORIS).length === 1)

  expect([first.isActive(), second.isActive()]).toEqual([true, false])
  expect(second.logged()).toContain('stands by')
  expect(playground.calls.filter(({ method }) => method === 'getMe')).toHaveLength(1)
})

test('an update that reaches a standby is stored there, and answered by the active process', async () => {
  const { playground, second, textsIn, database } = await startTwo()
  const from = { id: BORIS, is_bot: false, first_name: 'Boris', language_code: 'en' }
  const message = {
    message_id: 900,
    date: Math.floor(Date.now() / 1000),
    chat: { id: BORIS, type: 'private', first_name: 'Boris' },
    from,
    text: 'Hello?',
  }

  await second.receive({ update_id: 900, message } as Update)
  await playground.waitFor(() => textsIn(BORIS).length === 1)

  expect(textsIn(BORIS)).toEqual(['Hello!'])
  expect(await database.prisma.turn.count()).toBe(1)
})

test('a callback that reaches a standby is stored with its order', async () => {
  const { second, database } = await startTwo()
  const key = crypto.randomUUID()
  const order = await database.prisma.order.create({
    data: {
      user: { create: { id: ANNA, firstName: 'Anna' } },
      chatId: ANNA,
      originKey: 'message 1',
      replyToMessageId: 1,
      kind: 'video',
      params: {},
      label: 'vidgen-720p-5s',
      state: 'generating',
      idempotencyKey: key,
      taskId: 7,
    },
  })
  const body = Buffer.from(
    JSON.stringify({ task_id: 7, status: 'success', result_urls: ['https://a.example/1.mp4'] }),
  )
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = signCallback({ secret: 'secret', timestamp, body })

  const outcome = await second.receiveCallback({
    key,
    timestamp,
    signature: signed['x-callback-signature'],
    body,
  })

  expect(outcome).toBe(200)
  const { calledBack } = await database.prisma.order.findUniqueOrThrow({ where: { id: order.id } })
  expect(calledBack).not.toBeNull()
})

test('a decision on the page of a standby is shown by the active process, and counts there within a second', async () => {
  const { playground, second, textsIn, database } = await startTwo()
  playground.userSends({ userId: ANNA, text: 'Hello?' })
  await playground.waitFor(() => textsIn(ANNA).length === 1)

  const given = { userId: ANNA, decision: 'allowed', adminId: BORIS } as const
  const { decisions } = second.adminPage.page
  const outcome = await decisions.setAccess(given)
  await playground.waitFor(() => textsIn(ANNA).length === 2)
  await decisions.giveRole({ userId: ANNA, role: 'viewer', adminId: BORIS })
  await playground.waitFor(() => textsIn(ANNA).length === 3)
  playground.userSends({ userId: ANNA, text: 'And now?' })
  await playground.waitFor(() => textsIn(ANNA).length === 4)

  expect(outcome).toBe('decided')
  expect(textsIn(ANNA).slice(1)).toEqual([
    expect.stringContaining('You have access now'),
    expect.stringContaining('viewer'),
    'Hello!',
  ])
  await expect.poll(() => database.prisma.notice.count()).toBe(0)
})

test('what the service of a standby reports reaches the admins through the active process', async () => {
  const { playground, second, textsIn } = await startTwo()

  second.alertAdmins({
    model: 'alpha',
    upstream: 'provider.example',
    failure: { kind: 'unauthorized', status: 401 },
  })
  second.alertAdmins({ pricedModel: 'beta', chargedMicroRub: 5n, reportedMicroRub: 7n })
  await playground.waitFor(() => textsIn(BORIS).length === 2)

  expect(textsIn(BORIS).toSorted()).toEqual([
    expect.stringContaining('beta'),
    expect.stringContaining('provider.example'),
  ])
})

test('a standby takes over when the active process dies, and at once when it stops', async () => {
  const { playground, startBot, first, second, textsIn } = await startTwo()
  await first.kill()
  await expect.poll(() => second.isActive(), { timeout: TAKE_OVER_MS }).toBe(true)
  playground.userSends({ userId: BORIS, text: 'Hello?' })
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  const third = await startBot({ adminIds: new Set([BORIS]) })
  expect(third.isActive()).toBe(false)

  await second.stop(5_000)

  await expect.poll(() => third.isActive(), { timeout: 2_000 }).toBe(true)
  playground.userSends({ userId: BORIS, text: 'Hello again?' })
  await playground.waitFor(() => textsIn(BORIS).length === 2)
  expect(textsIn(BORIS)).toEqual(['Hello!', 'Hello!'])
})
