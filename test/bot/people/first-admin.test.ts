import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FirstAdmin, hashOfAdminCode, makeAdminCode } from '../../../src/bot/people/first-admin.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { createBotSetup } from '../bot-setup.ts'
import { createPeople } from './create-people.ts'

const [ANNA, BORIS] = [101, 102]

let database: TestDatabase
beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

const GROUP = -5

test('a code makes who sends it the first admin, once, and stands in the log of changes', async () => {
  const { prisma, notified, startProcess, admins } = await setUp()
  const process = startProcess()
  const code = await codeOf(process)

  expect(await process.claim(ANNA, code)).toBe(true)
  expect(await process.claim(BORIS, code)).toBe(false)

  expect(await admins()).toEqual([ANNA])
  expect(notified()).toEqual([expect.stringMatching(/^101: You’re an admin/)])
  expect(await prisma.change.findMany()).toMatchObject([
    { adminId: BigInt(ANNA), subjectId: BigInt(ANNA), what: 'role', before: null, after: 'admin' },
  ])
})

test('a code is known to all processes and over restarts, by its hash alone', async () => {
  const { prisma, startProcess, admins } = await setUp()
  const code = await codeOf(startProcess())
  const later = startProcess()
  await later.offer()

  const stored = await prisma.setting.findMany()
  expect(stored[0]?.value.split(' ')).toHaveLength(2)
  expect(JSON.stringify(stored)).not.toContain(code)
  expect(await later.claim(ANNA, code)).toBe(true)
  expect(await admins()).toEqual([ANNA])
})

test('of two who send codes at once, the same or each their own, one becomes the admin', async () => {
  for (const isShared of [true, false]) {
    const { startProcess, admins } = await setUp()
    const [one, other] = [startProcess(), startProcess()]
    const [first, second] = [await codeOf(one), await codeOf(other)]

    const claimed = await Promise.all([
      one.claim(ANNA, first),
      other.claim(BORIS, isShared ? first : second),
    ])

    expect(claimed.filter((isAdmin) => isAdmin)).toHaveLength(1)
    expect(await admins()).toHaveLength(1)
  }
})

describe('no code is good', () => {
  test('once an admin is there, however they became one', async () => {
    const { prisma, startProcess, admins } = await setUp()
    const process = startProcess()
    const code = await codeOf(process)
    await prisma.user.update({ where: { id: BORIS }, data: { role: 'admin' } })

    expect(await process.claim(ANNA, code)).toBe(false)
    expect(await process.offer()).toBeUndefined()

    expect((await prisma.setting.findFirst())?.value).toBe('')
    expect(await admins()).toEqual([BORIS])
  })
})

test('after ten wrong codes a sender is not listened to for a minute, and others are', async () => {
  const { clock, startProcess, admins } = await setUp()
  const process = startProcess()
  const code = await codeOf(process)

  for (let guess = 0; guess < 10; guess++) await process.claim(ANNA, makeAdminCode())

  expect(await process.claim(ANNA, code)).toBe(false)
  clock.advance(60_001)
  expect(await process.claim(ANNA, code)).toBe(true)
  expect(await admins()).toEqual([ANNA])
})

test('a code is known however it is typed, and nothing else is one', () => {
  const hash = hashOfAdminCode('K01F-2M9X-WD4T')

  expect(makeAdminCode()).toMatch(/^([0-9A-Z]{4}-){2}[0-9A-Z]{4}$/)
  for (const typed of ['k01f-2m9x-wd4t', 'K01F2M9XWD4T', ' kOlf 2m9x wd4t ', 'KOIF-2M9X-WD4T']) {
    expect(hashOfAdminCode(typed)).toEqual(hash)
  }
  for (const other of ['', 'K01F-2M9X', 'K01F-2M9X-WD4T-0000', 'K01F-2M9X-WD4U', 'привет']) {
    expect(hashOfAdminCode(other)).toBeUndefined()
  }
})

test('/start with the code makes a stranger the first admin, with the menu of one; the next is turned away', async () => {
  const { setup, bot, playground, code, says } = await startWithCode()

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
  const { setup, playground, code, says } = await startWithCode()
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA] })
  const text = `/start@kopeck_playground_bot ${code}`

  playground.userSends({ userId: ANNA, chatId: GROUP, text })
  await playground.waitFor(() => setup.textsIn(GROUP).length > 0)

  expect(await setup.database.prisma.user.count({ where: { role: 'admin' } })).toBe(0)
  expect(await says(ANNA, `/start ${code}`)).toContain('You’re an admin of this bot now')
})

/** A bot without an admin, that Anna and Boris have written to. */
async function startWithCode() {
  const setup = await createBotSetup()
  const { playground, database } = setup
  const bot = await setup.startBot({ allowedUserIds: new Set() })
  const code = await codeOf(new FirstAdmin(createPeople(database.prisma).people))
  return { setup, bot, playground, code, says }

  async function says(userId: number, text: string): Promise<string | undefined> {
    const count = setup.textsIn(userId).length
    playground.userSends({ userId, text })
    await playground.waitFor(() => setup.textsIn(userId).length > count)
    return setup.textsIn(userId).at(-1)
  }
}

async function setUp() {
  const { prisma } = database
  await prisma.setting.deleteMany()
  await prisma.user.deleteMany()
  await prisma.change.deleteMany()
  await prisma.user.createMany({
    data: [
      { id: ANNA, firstName: 'Anna' },
      { id: BORIS, firstName: 'Boris' },
    ],
  })
  const clock = createManualClock()
  const told: string[][] = []
  return { prisma, clock, notified: () => told.flat(), startProcess, admins }

  function startProcess() {
    const { people, sent } = createPeople(prisma, { clock })
    told.push(sent)
    return new FirstAdmin(people)
  }

  async function admins(): Promise<number[]> {
    const users = await prisma.user.findMany({ where: { role: 'admin' } })
    return users.map(({ id }) => Number(id))
  }
}

async function codeOf(process: FirstAdmin): Promise<string> {
  return (await process.offer()) ?? ''
}
