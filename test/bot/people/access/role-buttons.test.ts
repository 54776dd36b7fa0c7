import { expect, test } from 'vitest'
import { ANNA, BORIS } from '../../bot-setup.ts'
import { createClosedSetup, createPresser, OLGA } from './access-setup.ts'

async function setUp() {
  const house = await createClosedSetup({ adminIds: new Set([OLGA]) })
  const { playground, database } = house.setup
  await database.prisma.user.create({ data: { id: ANNA, firstName: 'Anna', admission: 'allowed' } })
  house.sends(ANNA, '/start')
  await playground.waitFor(() => house.setup.textsIn(ANNA).length === 1)
  return { ...house, openPage, menuOf }

  /** Has Olga open Anna's page. */
  async function openPage(): Promise<void> {
    const count = house.setup.textsIn(OLGA).length
    house.sends(OLGA, '/access')
    await playground.waitFor(() => house.setup.textsIn(OLGA).length > count)
    await house.press(OLGA, 'Anna')
    await playground.waitFor(() => house.setup.textsIn(OLGA).at(-1)?.includes('Without a role'))
  }

  function menuOf(userId: number): string[] | undefined {
    const menu = playground
      .commands()
      .find(({ scope }) => scope.type === 'chat' && scope.chat_id === userId)
    return menu?.commands.map(({ command }) => command)
  }
}

test('who is made a viewer hears it, has the menu, and sees what is spent until the role is taken', async () => {
  const { setup, openPage, press, sends, menuOf } = await setUp()
  const { playground, textsIn } = setup

  await openPage()
  await press(OLGA, 'Make viewer')
  await playground.waitFor(() => textsIn(ANNA).length === 2)
  await expect.poll(() => menuOf(ANNA)).toContain('spend')
  sends(ANNA, '/spend')
  await playground.waitFor(() => textsIn(ANNA).length === 3)
  sends(ANNA, '/access')
  await playground.waitFor(() => textsIn(ANNA).length === 4)
  await press(OLGA, 'Remove role')
  await playground.waitFor(() => textsIn(ANNA).length === 5)
  sends(ANNA, '/spend')
  await playground.waitFor(() => textsIn(ANNA).length === 6)

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
  const { setup, openPage, press, sends } = await setUp()
  const { playground, textsIn } = setup
  await openPage()
  await press(OLGA, 'Make admin')
  await playground.waitFor(() => textsIn(ANNA).length === 2)

  sends(BORIS, 'Hello?')
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  await press(BORIS, 'Запросить доступ')
  await playground.waitFor(() => textsIn(ANNA).at(-1)?.includes('Boris asks for access'))
  await setup.database.prisma.user.update({ where: { id: ANNA }, data: { role: null } })

  expect(await press(ANNA, 'Allow')).toBe('Only admins can do this.')
})

// Promise: A viewer, or an admin who is none any more, presses an admin's button
test('a button is judged by the role at the press: a viewer who was an admin changes nothing', async () => {
  const { setup, openPage, press, sends } = await setUp()
  const { playground, textsIn, database } = setup
  await database.prisma.user.update({ where: { id: BORIS }, data: { role: 'admin' } })
  sends(BORIS, '/access')
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  await press(BORIS, 'Anna')
  await playground.waitFor(() => textsIn(BORIS)[0]?.includes('Без роли'))
  await database.prisma.user.update({ where: { id: BORIS }, data: { role: 'viewer' } })

  expect(await press(BORIS, 'Сделать администратором')).toBe(
    'Это могут делать только администраторы.',
  )
  expect(await press(BORIS, 'Заблокировать')).toBe('Это могут делать только администраторы.')

  await openPage()
  const { keyboard } = createPresser(setup).buttons(OLGA)
  expect(keyboard.map(({ text }) => text)).toEqual([
    ...['Block', 'Make admin', 'Make viewer'],
    ...['Set limit', 'Spend', '« Back'],
  ])
  expect(await database.prisma.change.count()).toBe(0)
})

test('an admin who gives up the role sees the page no more', async () => {
  const { setup, press, sends } = await setUp()
  const { playground, textsIn, database } = setup
  await database.prisma.user.update({ where: { id: BORIS }, data: { role: 'admin' } })
  sends(BORIS, '/access')
  await playground.waitFor(() => textsIn(BORIS).length === 1)
  await press(BORIS, 'Boris')
  await playground.waitFor(() => textsIn(BORIS)[0]?.includes('может всё'))

  await press(BORIS, 'Снять роль')
  await playground.waitFor(() => textsIn(BORIS)[0] === 'Это могут делать только администраторы.')

  expect(createPresser(setup).buttons(BORIS).keyboard).toEqual([])
})
