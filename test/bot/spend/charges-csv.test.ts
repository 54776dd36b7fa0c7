import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ChargePosition,
  type ChargeRow,
  readCharges,
  writeChargesCsv,
} from '../../../src/bot/spend/charges-csv.ts'
import type { SpendFilter } from '../../../src/bot/spend/reports.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

const CHARGE: ChargeRow = {
  id: 7n,
  createdAt: new Date('2026-11-21T22:30:00.123Z'),
  day: new Date('2026-11-22'),
  userId: 501n,
  user: { firstName: 'Anna', username: 'anna' },
  chatId: -1_001_234_567_890n,
  kind: 'answer',
  item: 'alpha-large',
  promptTokens: 1200,
  historyTokens: 1000,
  historyMessages: 4,
  completionTokens: 80,
  promptPriceMicroRub: 150_000_000n,
  completionPriceMicroRub: 500_000n,
  amountMicroRub: 228_001n,
  estimated: false,
  writtenOffMicroRub: 0n,
  writtenOff: false,
  reversalOfId: null,
  turnId: 12n,
  request: 1,
  orderId: null,
  requestId: 'req_1',
  taskId: null,
}

test('a file has a mark for UTF-8, a head, and a line with every column for each charge', async () => {
  const [bytes] = await write([[CHARGE]])

  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  expect(bytes.subarray(3).toString()).toBe(
    'id,created_at,day,user_id,name,username,chat_id,kind,item,prompt_tokens,history_tokens,' +
      'completion_tokens,prompt_rub_per_1m,completion_rub_per_1m,amount_rub,estimated,' +
      'written_off_rub,written_off,reversal_of,turn_id,request,order_id,request_id,task_id\r\n' +
      '7,2026-11-21T22:30:00.123Z,2026-11-22,501,Anna,anna,-1001234567890,answer,alpha-large,1200,' +
      '1000,80,150,0.5,0.228001,false,0,false,,12,1,,req_1,\r\n',
  )
})

test('in Russian cells are parted by semicolons, and kopecks by a comma', async () => {
  const [bytes] = await write([[CHARGE]], { languageCode: 'ru-RU' })

  const [head = '', line = ''] = bytes.toString().split('\r\n')
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
  const [bytes] = await write([[{ ...CHARGE, user: { firstName, username: 'anna' } }]])

  expect(bytes.toString()).toContain(`,501,${cell},anna,`)
})

test('what does not fit in a file is left to the next one, and every charge is in one of them', async () => {
  const charges = Array.from({ length: 10 }, (_, index) => ({ ...CHARGE, id: BigInt(index + 1) }))
  const batches = [charges.slice(0, 4), charges.slice(4, 8), charges.slice(8)]

  const [first, after] = await write(batches, { bytesMax: 1_300 })
  const [second, end] = await write(batches.slice(1), { bytesMax: 1_300 })

  expect(first.byteLength).toBeLessThanOrEqual(1_300)
  expect(after).toMatchObject({ day: CHARGE.day, id: 4n })
  expect(idsIn(first)).toEqual(['1', '2', '3', '4'])
  expect(idsIn(second)).toEqual(['5', '6', '7', '8', '9', '10'])
  expect(end).toBeUndefined()
})

function idsIn(bytes: Buffer): (string | undefined)[] {
  const lines = bytes.toString().trim().split('\r\n').slice(1)
  return lines.map((line) => line.split(',')[0])
}

async function write(
  batches: readonly (readonly ChargeRow[])[],
  options: { languageCode?: string; bytesMax?: number } = {},
) {
  const pieces = writeChargesCsv(
    (async function* () {
      yield* batches
    })(),
    { languageCode: 'en', ...options },
  )
  const read: Uint8Array[] = []
  for (;;) {
    const { value, done } = await pieces.next()
    if (done) return [Buffer.concat(read), value] as const
    read.push(value)
  }
}

let database: TestDatabase

beforeAll(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  await database.prisma.user.createMany({
    data: [
      { id: 501, firstName: 'Anna' },
      { id: 502, firstName: 'Boris' },
    ],
  })
  await database.prisma.charge.createMany({
    data: Array.from({ length: 5_000 }, (_, index) => ({
      userId: 501 + (index % 2),
      chatId: 501 + (index % 2),
      kind: 'answer' as const,
      item: 'alpha-large',
      amountMicroRub: BigInt(index),
      day: new Date(Date.UTC(2026, 10, 1 + ((index * 7) % 10))),
    })),
  })
})
afterAll(() => database.close())

test.each([
  ['all there are', undefined, '2026-11-10', {}, 5_000],
  ['those of some days', '2026-11-03', '2026-11-04', {}, 1_000],
] as const)(
  'charges are read in batches, each once, in the order of their days: %s',
  async (...given) => {
    const [, from, to, filter, count] = given

    const charges = await read({ from, to, filter })

    const keys = charges.map(({ day, id }) => `${day.toISOString()} ${String(id).padStart(9, '0')}`)
    expect(charges).toHaveLength(count)
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(keys).size).toBe(count)
    expect(charges.every(({ day }) => day >= new Date(from ?? 0) && day <= new Date(to))).toBe(true)
  },
)

test('reading goes on after the charge where it ended', async () => {
  const all = await read({ to: '2026-11-10', filter: {} })

  const rest = await read({ to: '2026-11-10', filter: {}, after: all[2_998] })

  expect(rest).toEqual(all.slice(2_999))
})

async function read({
  from,
  to,
  ...asked
}: {
  from?: string | undefined
  to: string
  filter: SpendFilter
  after?: ChargePosition | undefined
}) {
  const batches = readCharges(database.prisma, { range: { from, to }, ...asked })
  const charges = []
  for await (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(2_000)
    charges.push(...batch)
  }
  return charges
}
