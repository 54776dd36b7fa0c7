import { expect, test } from 'vitest'
import type { BotSettings } from '../../../src/bot/context.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { labels, press, pressUnheard } from '../conversations/buttons.ts'
import { ended } from '../conversations/ended.ts'
import { createPresser } from '../people/access-setup.ts'

/** Reads English; Boris is an admin as well and reads Russian. */
const OLGA = 201
const VERA = 202
const GROUP = -5
const RUB = 1_000_000n

/** Anna, whose limit of 0.04 roubles leaves no room for a message that needs 0.08, and two admins. */
async function createScene(settings: Partial<BotSettings> = {}, subjectId = ANNA) {
  const setup = await createBotSetup()
  const { playground, database } = setup
  playground.addUser({ id: OLGA, firstName: 'Olga', languageCode: 'en' })
  playground.addUser({ id: VERA, firstName: 'Vera', languageCode: 'en' })
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  playground.setBotStatus(GROUP, 'administrator')
  await database.prisma.user.createMany({
    data: [
      { id: OLGA, firstName: 'Olga', languageCode: 'en' },
      { id: BORIS, firstName: 'Boris', languageCode: 'ru' },
      { id: VERA, firstName: 'Vera', languageCode: 'en' },
    ],
  })
  const limit = { subjectId, period: 'month', amountMicroRub: 40_000n, setById: OLGA } as const
  await database.prisma.spendLimit.create({ data: limit })
  const adminIds = new Set([OLGA, BORIS])
  await setup.startBot({ adminIds, viewerIds: new Set([VERA]), ...settings })
  setup.service.onCompletion((completion) => {
    completion.answer('Hello!')
  })
  return setup
}

async function refusedIn(setup: BotSetup, chatId = ANNA): Promise<void> {
  const text = chatId === ANNA ? 'Hello?' : '@kopeck_playground_bot hello'
  setup.playground.userSends({ userId: ANNA, chatId, text })
  await ended(setup)
}

async function ownLimit({ database }: BotSetup, subjectId = ANNA) {
  const limits = await database.prisma.spendLimit.findMany({ where: { subjectId } })
  return limits.map(({ amountMicroRub }) => amountMicroRub)
}

const CLIP = { mediaPricesMicroRub: new Map([['vidgen-720p-5s', RUB]]) }
const CARD = 'A video: 5 s, 720p, horizontal — ₽1.00\n\nOrder it?'

test('a user whose limit leaves no room for an order asks for more, and admins read what the order needs; once it is raised the card speaks of no limit', async () => {
  const setup = await createScene(CLIP)
  setup.playground.userSends({ userId: ANNA, text: '/video a fox in the snow' })

  expect(await press(setup, 'Ask for a higher limit')).toContain('Request sent.')

  expect(setup.textsIn(OLGA)).toEqual([
    'Anna, 101, asks for a higher limit.\nTheir limit: ₽0.04 a month. Left of it: ₽0.04, this needs ₽1.00.',
  ])
  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/^When you asked, ₽0\.04 of your limit of ₽0\.04 a month was left/),
  ])

  await press(setup, '×2: ₽1.00', { userId: OLGA })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)
  expect(setup.textsIn(ANNA)).toEqual([CARD, expect.stringContaining('raised your limit')])
  expect(labels(setup, ANNA)[0]?.slice(-2)).toEqual(['Order for ₽1.00', 'Don’t order'])
  await pressUnheard(setup, 'Order for ₽1.00')
  await expect.poll(() => setup.database.prisma.order.count()).toBe(1)
})

test('a user who meets a limit asks for more; every admin is asked once, one raises it, all copies say so, and Retry goes through', async () => {
  const setup = await createScene()
  await refusedIn(setup)

  expect(await press(setup, 'Ask for a higher limit')).toContain('Request sent.')
  expect(await press(setup, 'Ask for a higher limit')).toContain('already have this request')
  expect(setup.textsIn(OLGA)).toEqual([
    'Anna, 101, asks for a higher limit.\nTheir limit: ₽0.04 a month. Left of it: ₽0.04, this needs ₽0.08.',
  ])
  expect(setup.textsIn(BORIS)).toEqual([
    'Anna, 101, просит поднять лимит.\nЛимит пользователя: 0,04\u00a0₽ в месяц. Осталось 0,04\u00a0₽, а нужно 0,08\u00a0₽.',
  ])
  expect(setup.textsIn(VERA)).toEqual([])
  expect(labels(setup, OLGA)).toEqual([['+50%: ₽1.00', '×2: ₽1.00', 'Decline']])

  expect(await press(setup, '×2: 1,00\u00a0₽', { userId: BORIS })).toMatch(
    /^Поднят до 1,00\u00a0₽ в месяц: Boris, /,
  )
  await setup.playground.waitFor(() =>
    setup.textsIn(OLGA)[0]?.includes('Raised to ₽1.00 a month: Boris, '),
  )
  expect(labels(setup, OLGA)).toEqual([])
  expect(await ownLimit(setup)).toEqual([RUB])
  expect(await setup.database.prisma.change.findMany()).toMatchObject([
    { adminId: BigInt(BORIS), what: 'limit_month', before: '40000', after: '1000000' },
  ])
  await setup.playground.waitFor(() =>
    setup.textsIn(ANNA)[1]?.includes('raised your limit to ₽1.00 a month'),
  )

  await pressUnheard(setup, 'Retry')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Hello!'))
})

test('of two admins who decide at once one decides, and both learn what', async () => {
  const setup = await createScene()
  await refusedIn(setup)
  await press(setup, 'Ask for a higher limit')

  const notices = await Promise.all([
    press(setup, '+50%: ₽1.00', { userId: OLGA }),
    press(setup, 'Отклонить', { userId: BORIS }),
  ])
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  const [limit] = await ownLimit(setup)
  const isRaised = limit === RUB
  expect(notices[0]).toContain(isRaised ? 'Raised to ₽1.00 a month: Olga' : 'Declined: Boris')
  expect(notices[1]).toContain(isRaised ? ': Olga, ' : 'Отклонено: Boris, ')
})

test('who was refused may ask again a day later, and not before', async () => {
  const setup = await createScene()
  await refusedIn(setup)
  await press(setup, 'Ask for a higher limit')
  await press(setup, 'Decline', { userId: OLGA })
  await setup.playground.waitFor(() =>
    setup.textsIn(ANNA)[1]?.includes('declined to raise your limit'),
  )

  expect(await press(setup, 'Ask for a higher limit')).toContain('You can ask again a day later')
  expect(setup.textsIn(OLGA)).toHaveLength(1)

  const dayAgo = new Date(Date.now() - 86_400_000)
  await setup.database.prisma.request.updateMany({ data: { decidedAt: dayAgo } })
  expect(await press(setup, 'Ask for a higher limit')).toContain('Request sent.')
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 2)
})

test('in a group everybody may ask for the group, once for all, and the group hears of it', async () => {
  const setup = await createScene({}, GROUP)
  await refusedIn(setup, GROUP)
  const inGroup = { chatId: GROUP }

  expect(await press(setup, 'Ask for a higher limit', { userId: BORIS, ...inGroup })).toContain(
    'Запрос отправлен',
  )
  expect(await press(setup, 'Ask for a higher limit', { userId: ANNA, ...inGroup })).toContain(
    'already have this request',
  )
  expect(setup.textsIn(OLGA)).toEqual([
    `Boris, 102, asks for a higher limit.\nThe limit of the group ${GROUP}: ₽0.04 a month. Left of it: ₽0.04, this needs ₽0.08.`,
  ])

  await press(setup, '×2: ₽1.00', { userId: OLGA })
  await setup.playground.waitFor(() =>
    setup.textsIn(GROUP)[1]?.includes('лимит этой группы: теперь 1,00\u00a0₽ в месяц'),
  )
  expect(await ownLimit(setup, GROUP)).toEqual([RUB])
})

test('only users who are concerned ask, and only admins decide, also where others press the buttons', async () => {
  const setup = await createScene({}, ANNA)
  await refusedIn(setup, GROUP)
  const { buttons, pressData } = createPresser(setup)

  expect(await press(setup, 'Ask for a higher limit', { userId: BORIS, chatId: GROUP })).toContain(
    'только тот',
  )
  expect(setup.textsIn(OLGA)).toEqual([])
  await press(setup, 'Ask for a higher limit', { userId: ANNA, chatId: GROUP })
  const { messageId } = buttons(OLGA)
  const decide = { chatId: OLGA, messageId, data: `limit-double:${ANNA}:month` }
  expect(await pressData({ ...decide, userId: ANNA })).toBe('Only admins can do this.')
  expect(await pressData({ ...decide, userId: VERA })).toBe('Only admins can do this.')
  expect(await ownLimit(setup)).toEqual([40_000n])

  await setup.database.prisma.request.deleteMany()
  expect(await pressData({ ...decide, userId: OLGA })).toBe('This request no longer exists.')
  expect(await ownLimit(setup)).toEqual([40_000n])
})
