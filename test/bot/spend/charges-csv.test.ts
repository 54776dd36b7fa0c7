import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeChargesCsv } from '../../../src/bot/spend/charges-csv.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const CHARGE = {
  createdAt: new Date('2026-11-21T22:30:00.123Z'),
  chatId: -1_001_234_567_890n,
  kind: 'answer',
  item: 'alpha-large',
  promptTokens: 1200,
  historyTokens: 1000,
  completionTokens: 80,
  promptPriceMicroRub: 150_000_000n,
  completionPriceMicroRub: 500_000n,
  amountMicroRub: 228_001n,
  requestId: 'req_1',
} as const

let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
})
afterAll(() => database.close())

let lastUserId = 500
let lastDay = Date.UTC(2026, 10, 1)

/** Charges a new user on a new day. @returns The range that has no other charge. */
async function charge(firstName = 'Anna') {
  const { prisma } = database
  const userId = ++lastUserId
  lastDay += 86_400_000
  const day = new Date(lastDay)
  const username = `user_${userId}`
  await prisma.user.create({ data: { id: userId, firstName, username } })
  const { id } = await prisma.charge.create({ data: { ...CHARGE, userId, day } })
  const date = day.toISOString().slice(0, 10)
  return { id, userId, date, range: { from: date, to: date } }
}

async function write(range: { from: string | undefined; to: string }, languageCode = 'en') {
  const pieces = writeChargesCsv(database.prisma, { range, filter: {}, languageCode })
  return Buffer.concat(await Array.fromAsync(pieces))
}

test('a file has a mark for UTF-8, a head, and a line with every column for each charge', async () => {
  const { id, userId, date, range } = await charge()

  const bytes = await write(range)

  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  expect(bytes.subarray(3).toString()).toBe(
    'id,created_at,day,user_id,name,username,chat_id,kind,item,prompt_tokens,history_tokens,' +
      'completion_tokens,prompt_rub_per_1m,completion_rub_per_1m,amount_rub,estimated,' +
      'written_off_rub,written_off,reversal_of,turn_id,request,order_id,request_id,task_id\r\n' +
      `${id},2026-11-21T22:30:00.123Z,${date},${userId},Anna,user_${userId},-1001234567890,answer,` +
      'alpha-large,1200,1000,80,150,0.5,0.228001,false,0,false,,,,,req_1,\r\n',
  )
})

test('in Russian semicolons separate cells, and commas kopecks', async () => {
  const { range } = await charge()

  const [head = '', line = ''] = (await write(range, 'ru-RU')).toString().split('\r\n')

  expect(head.split(';')).toHaveLength(24)
  expect(line.split(';')).toHaveLength(24)
  expect(line).toContain(';150;0,5;0,228001;')
})

test.each([
  ['=cmd|calc!A1', "'=cmd|calc!A1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['Anna "the cat", Ltd.', '"Anna ""the cat"", Ltd."'],
  ['👩‍👩‍👧 שלום', '👩‍👩‍👧 שלום'],
])('a user called %j stands in the file as %j', async (firstName, cell) => {
  const { userId, range } = await charge(firstName)

  expect((await write(range)).toString()).toContain(`,${userId},${cell},user_${userId},`)
})

test('a file has every charge of a range once, in the order of their days', async () => {
  await charge()
  const { chatId, kind, item, amountMicroRub } = CHARGE
  const data = Array.from({ length: 5_000 }, (_, index) => ({
    ...{ userId: lastUserId, chatId, kind, item, amountMicroRub },
    day: new Date(Date.UTC(2027, 0, 1 + ((index * 7) % 10))),
  }))
  await database.prisma.charge.createMany({ data })
  const keysIn = async (from: string, to: string) => {
    const lines = (await write({ from, to })).toString().trimEnd().split('\r\n').slice(1)
    const cells = lines.map((line) => line.split(','))
    return cells.map(([id = '', , day]) => `${day} ${id.padStart(9, '0')}`)
  }

  const all = await keysIn('2027-01-01', '2027-01-10')

  expect(new Set(all).size).toBe(5_000)
  expect(all).toEqual(all.toSorted())
  expect(await keysIn('2027-01-03', '2027-01-04')).toHaveLength(1_000)
})
