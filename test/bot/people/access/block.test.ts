import { expect, test } from 'vitest'
import { ANNA, BORIS } from '../../bot-setup.ts'
import { createClosedSetup, OLGA } from './access-setup.ts'

async function setUp() {
  const house = await createClosedSetup({ allowedUserIds: 'everybody' })
  const { prisma } = house.setup.database
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna', username: 'Anna_A' } })
  return { ...house, prisma, admit, answers }

  async function admit() {
    return (await prisma.user.findUniqueOrThrow({ where: { id: ANNA } })).admission
  }

  async function answers(text: string, userId = OLGA): Promise<string | undefined> {
    const count = house.setup.textsIn(userId).length
    house.sends(userId, text)
    await house.setup.playground.waitFor(() => house.setup.textsIn(userId).length > count)
    return house.setup.textsIn(userId).at(-1)
  }
}

test('/block and /allow take a name in any case or an id, and are logged once', async () => {
  const { answers, admit, prisma } = await setUp()

  expect(await answers('/block @anna_a')).toContain('101, is blocked')
  expect(await admit()).toBe('blocked')
  expect(await answers('/access')).toMatch(/Anna \(@Anna_A\), 101 — blocked/)
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
  ['/block @anna_a now', '/block @name. An'],
  ['/block @annaXa', 'I know nobody'],
  ['/block anna_a', 'I know nobody'],
  ['/block 9'.padEnd(40, '9'), 'I know nobody'],
  ['/block 1e2', 'I know nobody'],
  [`/block ${OLGA}`, 'Admins can’t be blocked'],
  [`/block ${BORIS}`, 'Admins can’t be blocked'],
  ['/allow', '/allow @name'],
  ['/allow @anna_a now', '/allow @name'],
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
  await expect.poll(() => prisma.update.count({ where: { handledAt: null } })).toBe(0)

  expect(setup.service.completions).toHaveLength(1)
  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/\(Stopped\.\)$/),
    expect.stringContaining('Stopped before the model was asked'),
  ])
  await expect.poll(() => prisma.charge.findMany()).toMatchObject([{ amountMicroRub: 250_000n }])
})
