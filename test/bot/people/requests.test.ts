import { expect, test } from 'vitest'
import type { BotSettings } from '../../../src/bot/context.ts'
import { ANNA, BORIS } from '../bot-setup.ts'
import { createClosedSetup, createPresser, OLGA } from './access-setup.ts'

test('an outsider asks, every admin hears of it, one lets them in, and everybody is notified', async () => {
  const { setup, press, sends, requests } = await createClosedSetup()
  setup.service.onCompletion((completion) => {
    completion.answer('Hello!')
  })

  await requests()
  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('Request sent')])
  expect(setup.textsIn(OLGA)).toEqual([
    expect.stringMatching(/^Anna asks for access\.\n.*101, language en$/),
  ])
  expect(setup.textsIn(BORIS)).toEqual([expect.stringContaining('Запрос на доступ: Anna')])

  expect(await press(BORIS, 'Дать доступ')).toMatch(/^Доступ дан: Boris, /)
  await setup.playground.waitFor(() => setup.textsIn(OLGA)[0]?.includes('Allowed: Boris'))
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)
  sends(ANNA, 'Hello?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

  expect(setup.textsIn(ANNA).slice(1)).toEqual([
    expect.stringContaining('You have access now'),
    'Hello!',
  ])
  expect(createPresser(setup).buttons(OLGA).keyboard).toEqual([])
})

test('of two admins who decide at once one decides, and both learn what', async () => {
  const { setup, press, requests } = await createClosedSetup()
  await requests()

  const notices = await Promise.all([press(OLGA, 'Allow'), press(BORIS, 'Отклонить')])
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  const [request] = await setup.database.prisma.request.findMany({ include: { user: true } })
  const isAllowed = request?.decision === 'allowed'
  expect(request).toMatchObject({
    decidedById: BigInt(isAllowed ? OLGA : BORIS),
    user: { admission: request?.decision },
  })
  expect(notices[0]).toContain(isAllowed ? 'Allowed: Olga' : 'Declined: Boris')
  expect(notices[1]).toContain(isAllowed ? 'Доступ дан: Olga' : 'Отклонено: Boris')
  expect(setup.textsIn(ANNA)[1]).toContain(
    isAllowed ? 'You have access now' : 'declined your request',
  )
})

test('who was refused may ask again a day later, and not before', async () => {
  const { setup, press, requests, sends } = await createClosedSetup()
  await requests()
  await press(OLGA, 'Decline')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  sends(ANNA, 'Please?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)
  expect(setup.textsIn(ANNA)[2]).toMatch(/again after \d+ \w+ \d{4}, \d\d:\d\d/)

  const dayAgo = new Date(Date.now() - 86_400_000)
  await setup.database.prisma.request.updateMany({ data: { decidedAt: dayAgo } })
  sends(ANNA, 'Now?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 4)
  await press(ANNA, 'Ask for access')
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 2)

  expect(await press(OLGA, 'Allow')).toContain('Allowed: Olga')
})

test('who is blocked hears nothing any more', async () => {
  const { setup, press, requests, sends } = await createClosedSetup()
  await requests()
  expect(await press(OLGA, 'Block')).toContain('Blocked: Olga')

  sends(ANNA, 'Hello?')
  sends(ANNA, '/start')
  sends(OLGA, '/help')
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 2)
  await expect
    .poll(() => setup.database.prisma.update.count({ where: { handledAt: null } }))
    .toBe(0)

  expect(setup.textsIn(ANNA)).toHaveLength(1)
})

test('only admins decide', async () => {
  const { setup, requests } = await createClosedSetup({
    allowedUserIds: new Set([ANNA + 1000]),
  })
  const carl = ANNA + 1000
  setup.playground.addUser({ id: carl, firstName: 'Carl', languageCode: 'en' })
  await requests()
  const { pressData } = createPresser(setup)
  const [request] = setup.playground.transcript(OLGA)
  const messageId = request?.id ?? 0

  const decide = { chatId: OLGA, messageId, data: `access:allowed:${ANNA}` }
  expect(await pressData({ ...decide, userId: carl })).toBe('Only admins can do this.')
  expect(await pressData({ ...decide, userId: ANNA })).toContain('Request sent')

  const { admission } = await setup.database.prisma.user.findUniqueOrThrow({ where: { id: ANNA } })
  expect(admission).toBe('requested')
})

test('/block and /allow take a name in any case or an id, and are logged once', async () => {
  const { answers, admit, prisma } = await setUp()

  expect(await answers('/block @anna_a')).toContain('101, is blocked')
  expect(await admit()).toBe('blocked')
  expect(await answers('/users')).toMatch(/Anna \(@Anna_A\), 101 — blocked/)
  for (const who of ['101', '@ANNA_A']) {
    expect(await answers(`/allow ${who}`)).toContain('Anna (@Anna_A), 101, has access')
  }
  expect(await admit()).toBe('allowed')

  const changes = await prisma.change.findMany({ orderBy: { id: 'asc' } })
  expect(changes.map(({ what, before, after }) => [what, before, after])).toEqual([
    ['access', null, 'blocked'],
    ['access', 'blocked', 'allowed'],
  ])
})

test.each([
  ['/block', '/block @name. An'],
  ['/block @annaXa', 'I know nobody'],
  ['/block anna_a', 'I know nobody'],
  [`/block ${OLGA}`, 'Admins can’t be blocked'],
  ['/allow', '/allow @name'],
  ['/allow 999', 'I know nobody'],
])('"%s" changes nobody: %s', async (text, answer) => {
  const { answers, prisma } = await setUp()

  expect(await answers(text)).toContain(answer)

  expect(await prisma.user.count({ where: { admission: { not: null } } })).toBe(0)
  expect(await prisma.change.count()).toBe(0)
})

test('who is blocked has the answer being written stopped, and what waits is not asked', async () => {
  const { answers, setup, sends, prisma } = await setUp()
  sends(ANNA, 'Tell of paper boats')
  const completion = await setup.service.next()
  completion.delta('Once upon a time')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).includes('Once upon a time'))
  sends(ANNA, 'And of kites')
  await expect.poll(() => prisma.turn.count({ where: { state: 'waiting' } })).toBe(1)

  await answers('/block 101')
  await setup.playground.waitFor(() => setup.textsIn(ANNA)[0]?.endsWith('(Stopped.)'))
  completion.finish({ costRub: 0.25 })
  await setup.playground.waitFor(() =>
    setup.textsIn(ANNA)[1]?.includes('Stopped before the model was asked'),
  )

  expect(setup.service.completions).toHaveLength(1)
  expect(setup.textsIn(ANNA)).toHaveLength(2)
  await expect.poll(() => prisma.charge.findMany()).toMatchObject([{ amountMicroRub: 250_000n }])
})

test('who is made a viewer hears it, has the menu, and sees what is spent until the role is taken', async () => {
  const { setup, answers, menuOf } = await setUpRoles()
  const { playground, textsIn } = setup
  await answers('/start', ANNA)

  expect(await answers(`/role ${ANNA} viewer`)).toBe('Anna, 101 — viewer')
  await playground.waitFor(() => textsIn(ANNA).length === 2)
  await expect.poll(() => menuOf(ANNA)).toContain('spend')
  await answers('/spend', ANNA)
  await answers('/admin', ANNA)
  expect(await answers(`/role ${ANNA} user`)).toBe('Anna, 101 — has access')
  await playground.waitFor(() => textsIn(ANNA).length === 5)
  await answers('/spend', ANNA)

  expect(textsIn(ANNA)).toEqual([
    expect.anything(),
    expect.stringContaining('a viewer of this bot now'),
    expect.not.stringContaining('don’t know this command'),
    expect.stringContaining('don’t know this command'),
    expect.stringContaining('no longer have a role here'),
    expect.stringContaining('don’t know this command'),
  ])
  expect(menuOf(ANNA)).toBeUndefined()
})

test('a new admin is notified of requests like the others, and one who was unmade is not', async () => {
  const { setup, answers, press, sends, prisma } = await setUpRoles()
  const { playground, textsIn } = setup
  await answers('/start', ANNA)
  await answers(`/role ${ANNA} ADMIN`)
  await playground.waitFor(() => textsIn(ANNA).length === 2)

  sends(BORIS, 'Hello?')
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  await press(BORIS, 'Запросить доступ')
  await playground.waitFor(() => textsIn(ANNA).at(-1)?.includes('Boris asks for access'))
  await prisma.user.update({ where: { id: ANNA }, data: { role: null } })

  expect(await press(ANNA, 'Allow')).toBe('Only admins can do this.')
})

test.each([
  [`/role ${BORIS} owner`, '/role @name admin'],
  ['/role 999 admin', 'I know nobody'],
  [`/role ${OLGA} user`, 'set in ADMIN_IDS'],
])('"%s" gives no role: %s', async (text, answer) => {
  const { answers, prisma } = await setUpRoles()

  expect(await answers(text)).toContain(answer)
  expect(await prisma.change.count()).toBe(0)
})

/** Olga is the only admin; Anna may talk to the bot. */
async function setUpRoles() {
  const house = await setUp({ adminIds: new Set([OLGA]) })
  await house.prisma.user.update({ where: { id: ANNA }, data: { admission: 'allowed' } })
  return house
}

async function setUp(settings: Partial<BotSettings> = { allowedUserIds: 'everybody' }) {
  const house = await createClosedSetup(settings)
  const { playground, database } = house.setup
  const { prisma } = database
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna', username: 'Anna_A' } })
  return { ...house, prisma, admit, answers, menuOf }

  function menuOf(userId: number): string[] | undefined {
    const menu = playground
      .commands()
      .find(({ scope }) => scope.type === 'chat' && scope.chat_id === userId)
    return menu?.commands.map(({ command }) => command)
  }

  async function admit() {
    return (await prisma.user.findUniqueOrThrow({ where: { id: ANNA } })).admission
  }

  async function answers(text: string, userId = OLGA): Promise<string | undefined> {
    const count = house.setup.textsIn(userId).length
    house.sends(userId, text)
    await playground.waitFor(() => house.setup.textsIn(userId).length > count)
    return house.setup.textsIn(userId)[count]
  }
}
