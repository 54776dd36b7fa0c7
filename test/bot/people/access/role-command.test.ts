import { expect, test } from 'vitest'
import { ANNA, BORIS } from '../../bot-setup.ts'
import { createClosedSetup, OLGA } from './access-setup.ts'

/** Olga is the admin of the settings; Anna may talk to the bot, and the bot knows Boris. */
async function setUp() {
  const house = await createClosedSetup({ adminIds: new Set([OLGA]) })
  const { playground, database } = house.setup
  const { prisma } = database
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna', admission: 'allowed' } })
  return { ...house, prisma, answerTo, menuOf, roleOf }

  async function answerTo(userId: number, text: string): Promise<string | undefined> {
    const count = house.setup.textsIn(userId).length
    house.sends(userId, text)
    await playground.waitFor(() => house.setup.textsIn(userId).length > count)
    return house.setup.textsIn(userId)[count]
  }

  function menuOf(userId: number): string[] | undefined {
    const menu = playground
      .commands()
      .find(({ scope }) => scope.type === 'chat' && scope.chat_id === userId)
    return menu?.commands.map(({ command }) => command)
  }

  async function roleOf(id: number) {
    return (await prisma.user.findUniqueOrThrow({ where: { id } })).role
  }
}

test('who is made a viewer hears it, has the menu, and sees what is spent until the role is taken', async () => {
  const { setup, answerTo, menuOf } = await setUp()
  const { playground, textsIn } = setup
  await answerTo(ANNA, '/start')

  expect(await answerTo(OLGA, `/role ${ANNA} viewer`)).toBe('Anna, 101 — viewer')
  await playground.waitFor(() => textsIn(ANNA).length === 2)
  await expect.poll(() => menuOf(ANNA)).toContain('spend')
  await answerTo(ANNA, '/spend')
  await answerTo(ANNA, '/access')
  expect(await answerTo(OLGA, `/role ${ANNA} user`)).toBe('Anna, 101 — has access')
  await playground.waitFor(() => textsIn(ANNA).length === 5)
  await answerTo(ANNA, '/spend')

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
  const { setup, answerTo, press, sends, prisma } = await setUp()
  const { playground, textsIn } = setup
  await answerTo(ANNA, '/start')
  await answerTo(OLGA, `/role ${ANNA} ADMIN`)
  await playground.waitFor(() => textsIn(ANNA).length === 2)

  sends(BORIS, 'Hello?')
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  await press(BORIS, 'Запросить доступ')
  await playground.waitFor(() => textsIn(ANNA).at(-1)?.includes('Boris asks for access'))
  await prisma.user.update({ where: { id: ANNA }, data: { role: null } })

  expect(await press(ANNA, 'Allow')).toBe('Only admins can do this.')
})

test.each([
  ['/role', '/role @name admin'],
  [`/role ${BORIS}`, '/role @name admin'],
  [`/role ${BORIS} owner`, '/role @name admin'],
  [`/role ${BORIS} admin now`, '/role @name admin'],
  ['/role 999 admin', 'I know nobody'],
  [`/role ${OLGA} user`, 'set in ADMIN_IDS'],
])('"%s" gives no role: %s', async (text, answer) => {
  const { answerTo, prisma } = await setUp()

  expect(await answerTo(OLGA, text)).toContain(answer)
  expect(await prisma.change.count()).toBe(0)
})
