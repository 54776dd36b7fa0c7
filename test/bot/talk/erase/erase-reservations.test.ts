import { expect, test } from 'vitest'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createEraseUser } from '../../../../src/bot/talk/erase/erase-user.ts'
import { createFastClock } from '../../../platform/time/fast-clock.ts'
import { press } from '../reply/buttons.ts'
import { until } from '../turns/ended.ts'
import { eraseInHaste, limitOlga, OLGA, openHouse, WORD } from './erase-setup.ts'

test('a turn that does not come to its end is erased: its request is written off, its reservation ends', async () => {
  const { database } = await openHouse()
  const { prisma } = database
  await prisma.user.create({ data: { id: OLGA, firstName: WORD } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: OLGA } })
  const asked = { conversationId, userId: OLGA, chatId: OLGA, promptMessageId: 7, model: 'alpha' }
  const open = { state: 'streaming', requests: 1, requestMicroRub: 90n } as const
  const { id } = await prisma.turn.create({ data: { ...asked, ...open } })
  const reserved = { kind: 'turn', id, userId: OLGA, chatId: OLGA, amountMicroRub: 90n } as const
  await prisma.reservation.create({ data: reserved })
  await prisma.spender.create({ data: { id: OLGA, day: new Date(), reservedMicroRub: 90n } })

  await createEraseUser({
    prisma,
    stopTurn: async () => 'nothing',
    clock: createFastClock(100_000),
    calendar: createCalendar({ timeZone: 'UTC' }),
  }).erase(OLGA)

  expect(await prisma.turn.count()).toBe(0)
  expect(await prisma.charge.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { turnId: null, amountMicroRub: 0n, writtenOffMicroRub: 90n, estimated: true },
  ])
  expect(await prisma.reservation.count()).toBe(0)
  expect(await prisma.spender.findMany()).toMatchObject([
    { id: BigInt(OLGA), reservedMicroRub: 0n, totalMicroRub: 0n },
  ])
})

test('six rounds of a question, a stop and an erasure pass no limit while the answers go on unseen', async () => {
  const setup = await openHouse()
  const { prisma } = setup.database
  await limitOlga(setup, 2_000_000n)

  for (let round = 0; round < 6; round += 1) {
    setup.playground.userSends({ userId: OLGA, text: 'Tell me everything' })
    const asked = setup.service.completions.length
    const isRefused = () => setup.textsIn(OLGA).at(-1)?.includes('limit')
    await until(async () => setup.service.completions.length > asked || Boolean(isRefused()))
    if (isRefused()) continue
    setup.service.completions.at(-1)?.delta('Once')
    await press(setup, 'Stop', { userId: OLGA })
    await until(async () => (await prisma.turn.count({ where: { endedAt: null } })) === 0)
    await eraseInHaste(setup)
  }

  // Each costs all that was asked for: of the last one that is what the limit had left.
  for (const completion of setup.service.completions) {
    completion.finish({ costRub: completion.request.max_tokens * 0.0006 })
  }
  await until(async () => (await prisma.reservation.count()) === 0)
  expect(setup.service.completions).toHaveLength(4)
  const [olga, ...others] = await prisma.spender.findMany()
  expect(olga).toMatchObject({ id: BigInt(OLGA), reservedMicroRub: 0n })
  expect(olga?.totalMicroRub).toBeGreaterThan(1_900_000n)
  expect(olga?.totalMicroRub).toBeLessThanOrEqual(2_000_000n)
  expect(others).toEqual([])
})

test('an answer that went on unseen when its user was erased is written off when its process ends, by one of two', async () => {
  const { bot, ...setup } = await openHouse()
  const { prisma } = setup.database
  setup.playground.userSends({ userId: OLGA, text: 'Tell me everything' })
  const completion = await setup.service.next()
  completion.delta('Once')
  await press(setup, 'Stop', { userId: OLGA })
  await until(async () => (await prisma.turn.count({ where: { endedAt: null } })) === 0)
  await eraseInHaste(setup)
  const [reserved] = await prisma.reservation.findMany()

  await bot.kill()
  await Promise.all([setup.startBot(), setup.startBot()])

  expect(await prisma.charge.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    {
      userId: BigInt(OLGA),
      item: 'alpha',
      amountMicroRub: 0n,
      writtenOffMicroRub: reserved?.amountMicroRub,
    },
  ])
  expect(await prisma.reservation.count()).toBe(0)
  expect(await prisma.spender.findMany()).toMatchObject([
    { id: BigInt(OLGA), reservedMicroRub: 0n, totalMicroRub: 0n },
  ])
})
