import { expect, test } from 'vitest'
import { createFirstAdmin } from '../../../../src/bot/people/access/first-admin.ts'
import { ANNA, BORIS, createBotSetup } from '../../bot-setup.ts'

const GROUP = -5

async function setUp() {
  const setup = await createBotSetup()
  const { playground, database } = setup
  const bot = await setup.startBot({ allowedUserIds: new Set() })
  const { offer } = createFirstAdmin({
    prisma: database.prisma,
    settings: { adminIds: new Set<number>() },
    showRole: async () => true,
    clock: { now: () => 0 },
  })
  const code = (await offer()) ?? ''
  return { setup, bot, playground, code, says }

  async function says(userId: number, text: string): Promise<string | undefined> {
    const count = setup.textsIn(userId).length
    playground.userSends({ userId, text })
    await playground.waitFor(() => setup.textsIn(userId).length > count)
    return setup.textsIn(userId).at(-1)
  }
}

test('/start with the code makes a stranger the first admin, with the menu of one; the next is turned away', async () => {
  const { setup, bot, playground, code, says } = await setUp()

  expect(await says(ANNA, `/start ${code}`)).toContain('You’re an admin of this bot now')
  expect(await says(BORIS, `/start ${code}`)).toBe(await says(BORIS, 'Привет'))

  expect(await setup.database.prisma.user.findMany({ where: { role: 'admin' } })).toMatchObject([
    { id: BigInt(ANNA) },
  ])
  const chats = playground.commands().map(({ scope }) => JSON.stringify(scope))
  expect(chats.join()).toContain(String(ANNA))
  expect(bot.logged()).not.toContain(code)
  expect(bot.logged()).toContain('"openTo":"admins"')
})

test('in a group the code does nothing', async () => {
  const { setup, playground, code, says } = await setUp()
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA] })
  const text = `/start@kopeck_playground_bot ${code}`

  playground.userSends({ userId: ANNA, chatId: GROUP, text })
  await playground.waitFor(() => setup.textsIn(GROUP).length > 0)

  expect(await setup.database.prisma.user.count({ where: { role: 'admin' } })).toBe(0)
  expect(await says(ANNA, `/start ${code}`)).toContain('You’re an admin of this bot now')
})
