import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCharges } from '../../../../src/bot/spend/reports/read-charges.ts'
import type { SpendFilter } from '../../../../src/bot/spend/reports/spend.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

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

    const keys = charges.map(({ day, id }) => `${day} ${String(id).padStart(9, '0')}`)
    expect(charges).toHaveLength(count)
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(keys).size).toBe(count)
    expect(charges.every(({ day }) => day >= (from ?? '') && day <= to)).toBe(true)
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
  after?: { day: string; id: bigint } | undefined
}) {
  const batches = readCharges(database.prisma, { range: { from, to }, ...asked })
  const charges = []
  for await (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(2_000)
    charges.push(...batch)
  }
  return charges
}
