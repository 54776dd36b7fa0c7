import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSpendProgram } from '../../src/cli/spend.ts'
import { addCharge } from '../bot/spend/add-charge.ts'
import { openTestDatabase, type TestDatabase } from '../platform/database/open-test-database.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'

const COMMAND = join(import.meta.dirname, '../../src/cli/kopeck.ts')
const ANNA = 501
const GROUP = -70

let url: string
let database: TestDatabase

beforeAll(async () => {
  url = await createTestDatabase()
  database = openTestDatabase({ url })
  await database.prisma.user.create({ data: { id: ANNA, firstName: 'Anna' } })
  await addCharge(database.prisma, { userId: ANNA, amountMicroRub: 1_000_000n })
  await addCharge(database.prisma, { userId: ANNA, amountMicroRub: 500_000n })
  await addCharge(database.prisma, { userId: ANNA, chatId: GROUP, amountMicroRub: 7n })
})
afterAll(() => database.close())

test('check says what the charges come to, and that the sums agree', async () => {
  const { printed, code } = await spend('check')

  expect(code).toBe(0)
  expect(printed).toBe(
    [
      'Charges      3 of 1 users',
      'Users pay    1.500007 RUB',
      '  estimated  0 RUB',
      'Written off  0 RUB',
      'Reserved     0 RUB',
      '',
      'All sums are what the charges say.',
      '',
    ].join('\n'),
  )
})

test('check lists whose sums are not what the charges say and ends with 1, with --json for programs; rebuild mends them', async () => {
  await database.prisma.spendDay.updateMany({
    where: { chatId: GROUP },
    data: { amountMicroRub: 10n },
  })

  const broken = await runCommand(url, 'check')
  const json = await spend('check', '--json')
  const rebuilt = await spend('rebuild')
  const mended = await spend('check')

  expect(broken.code).toBe(1)
  expect(broken.printed).toContain('1 sums are not what the charges say:')
  expect(broken.printed).toMatch(
    /^501 +-70 [0-9-]{10} answer alpha-large +amount +0\.000007 +0\.00001 +0\.000003$/m,
  )
  expect(json.code).toBe(1)
  expect(JSON.parse(json.printed)).toMatchObject({
    charges: 3,
    amountMicroRub: '1500007',
    differences: [{ userId: '501', column: 'amount_micro_rub', wanted: '7', kept: '10' }],
  })
  expect(rebuilt.printed).toBe('The sums were made from the charges of 1 users.\n')
  expect([rebuilt.code, mended.code]).toEqual([0, 0])
})

async function spend(...args: string[]) {
  const texts: string[] = []
  const print = (text: string) => void texts.push(`${text}\n`)
  const program = createSpendProgram({ use: 'kopeck spend', env: { DATABASE_URL: url }, print })
  await program.parseAsync(args, { from: 'user' })
  const code = process.exitCode ?? 0
  process.exitCode = undefined
  return { printed: texts.join(''), code }
}

async function runCommand(databaseUrl: string, ...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, 'spend', ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { printed, errors, code }
}
