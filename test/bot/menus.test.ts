import type { BotCommandScope } from 'grammy/types'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createMenus } from '../../src/bot/menus.ts'
import type { RoleHolder } from '../../src/bot/people/roles.ts'
import { createTelegramApi } from '../../src/bot/telegram/api.ts'
import { createTexts, type Texts } from '../../src/bot/texts/texts.ts'
import { MEDIA_KINDS, type MediaKind } from '../../src/contract/tasks.ts'
import { createPlayground } from '../../src/playground/playground.ts'
import { openTestDatabase, type TestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { BORIS, createBotSetup } from './bot-setup.ts'

const ADMIN = 1
const VIEWER = 2
const RUSSIAN = { language_code: 'ru' } as const

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
beforeEach(async () => void (await database.prisma.setting.deleteMany()))
afterAll(() => database.close())

async function openTelegram() {
  const playground = createPlayground({ flood: 'off' })
  const { apiRoot } = await playground.listen()
  onTestFinished(() => playground.close())
  playground.addUser({ id: ADMIN, firstName: 'Admin', languageCode: 'en' })
  const { calls: api } = createTelegramApi({ token: playground.token, apiRoot })
  return { playground, api, start, menusOf }

  async function start({
    texts = createTexts(),
    adminId = ADMIN,
    sold = MEDIA_KINDS,
  }: {
    texts?: Texts
    adminId?: number
    sold?: readonly MediaKind[]
  } = {}): Promise<string[]> {
    const before = playground.calls.length
    const holder = { userId: adminId, role: 'admin', languageCode: 'en' } as const
    await menusOf([holder], { texts, sold }).publish()
    return playground.calls.slice(before).map(({ method }) => method)
  }

  function menusOf(
    holders: RoleHolder[],
    {
      texts = createTexts(),
      sold = MEDIA_KINDS,
    }: { texts?: Texts; sold?: readonly MediaKind[] } = {},
  ) {
    return createMenus({
      api,
      prisma: database.prisma,
      texts,
      log: pino({ level: 'silent' }),
      roles: { holders: async () => holders },
      prices: { kinds: () => sold },
      page: { url: 'http://127.0.0.1:3000/admin', opensIn: 'browser' },
    })
  }
}

function nextTexts() {
  const texts = createTexts()
  const t: typeof texts.t = (languageCode, key, variables) => {
    const text = texts.t(languageCode, key, variables)
    return key.startsWith('bot-') || key.startsWith('command-') ? `${text}!` : text
  }
  return { t }
}

test('the first start sends Telegram the menus, the name and what the bot can do, in each language; the next one only the menus', async () => {
  const { api, playground, start } = await openTelegram()

  const first = await start()
  const second = await start()

  expect(first).toEqual(expect.arrayContaining(['setMyCommands', 'setMyDescription', 'setMyName']))
  expect((await api.getMyDescription()).description).toMatch(/^Write anything/)
  expect((await api.getMyDescription(RUSSIAN)).description).toMatch(/^Напишите/)
  expect((await api.getMyShortDescription(RUSSIAN)).short_description).toContain('копейка')
  expect((await api.getMyName(RUSSIAN)).name).toBe('Копейка')
  expect(playground.commands()).toHaveLength(8)
  expect(new Set(second)).toEqual(new Set(['setMyCommands']))
})

test('Telegram shows of the bot what the service sells', async () => {
  const { api, playground, start } = await openTelegram()

  await start({ sold: ['image'] })

  const { description } = await api.getMyDescription(RUSSIAN)
  const { short_description } = await api.getMyShortDescription()
  expect(description).toContain('Ещё я создаю картинки.')
  expect(short_description).toContain('Language models and images in one chat.')
  const names = playground.commands().flatMap(({ commands }) => commands.map((one) => one.command))
  expect(names).toContain('image')
  expect(names).not.toContain('video')
})

test('a next version changes the bot’s words about itself', async () => {
  const { api, playground, start } = await openTelegram()
  await start()

  await start({ texts: nextTexts() })

  expect((await api.getMyDescription(RUSSIAN)).description).toMatch(/!$/)
  expect((await api.getMyName()).name).toBe('Kopeck!')
  for (const { commands } of playground.commands()) {
    expect(commands[0]?.description).toMatch(/!$/)
  }
})

test('what its operator says of the bot stays', async () => {
  const { api, start } = await openTelegram()
  await api.setMyDescription('Ask Anna for access')
  await api.setMyName('Our helper')

  await start()
  await start({ texts: nextTexts() })

  expect((await api.getMyDescription()).description).toBe('Ask Anna for access')
  expect((await api.getMyDescription(RUSSIAN)).description).toBe('Ask Anna for access')
  expect((await api.getMyName(RUSSIAN)).name).toBe('Our helper')
  expect((await api.getMyShortDescription()).short_description).toMatch(/!$/)
})

test('an admin who had not written to the bot yet has their menu with the next start', async () => {
  const { playground, start } = await openTelegram()
  const adminId = 7
  await start({ adminId })
  playground.addUser({ id: adminId, firstName: 'Late', languageCode: 'en' })

  await start({ adminId })

  const chats = playground.commands().map(({ scope }) => ('chat_id' in scope ? scope.chat_id : 0))
  expect(chats).toContain(adminId)
})

test('the button of an admin speaks their language from their first message on, and is set once', async () => {
  const { playground, startBot, textsIn } = await createBotSetup()
  await startBot({ adminIds: new Set([BORIS]) }, { publicUrl: 'https://bot.example.org' })
  const unmet = playground.menuButton(BORIS)
  const says = async (text: string) => {
    const count = textsIn(BORIS).length
    playground.userSends({ userId: BORIS, text })
    await playground.waitFor(() => textsIn(BORIS).length > count)
  }

  await says('/start')
  await says('/help')

  const calls = playground.calls.filter(({ method }) => method === 'setChatMenuButton')
  expect(unmet).toMatchObject({ text: 'Spend' })
  expect(playground.menuButton(BORIS)).toMatchObject({ text: 'Расходы' })
  expect(calls).toHaveLength(2)
})

test('the menu is published in both languages, longer for those with a role who wrote to the bot', async () => {
  const { playground, menusOf } = await openTelegram()
  playground.addUser({ id: VIEWER, firstName: 'Viewer', languageCode: 'en' })

  await menusOf([
    { userId: ADMIN, role: 'admin', languageCode: 'en' },
    { userId: VIEWER, role: 'viewer', languageCode: 'en' },
    { userId: 999, role: 'admin', languageCode: undefined },
  ]).publish()

  const lists = playground.commands()
  const nameOf = (scope: BotCommandScope) =>
    scope.type === 'chat' ? `chat ${scope.chat_id}` : scope.type
  const namesOf = (commands: readonly { command: string }[]) =>
    commands.map(({ command }) => command).join(' ')
  expect(lists.map(({ scope, languageCode }) => `${nameOf(scope)} ${languageCode}`).sort()).toEqual(
    [
      'all_group_chats ',
      'all_group_chats ru',
      'all_private_chats ',
      'all_private_chats ru',
      'chat 1 ',
      'chat 1 ru',
      'chat 2 ',
      'chat 2 ru',
      'default ',
      'default ru',
    ],
  )
  const forEverybody = 'new chats model video image sound usage settings help'
  const others = new Map([
    ['chat 1', `${forEverybody} spend users dashboard`],
    ['chat 2', `${forEverybody} spend users dashboard`],
    ['all_group_chats', 'new model video image sound usage help'],
  ])
  for (const { scope, commands } of lists) {
    expect(namesOf(commands)).toBe(others.get(nameOf(scope)) ?? forEverybody)
  }
})

test('a user who lost their role gets the menu of everybody', async () => {
  const { playground, menusOf } = await openTelegram()
  const menus = menusOf([])
  await menus.show({ userId: ADMIN, role: 'viewer', languageCode: 'en' })
  expect(playground.commands()).toHaveLength(2)

  await menus.show({ userId: ADMIN, role: undefined })

  expect(playground.commands()).toEqual([])
})
