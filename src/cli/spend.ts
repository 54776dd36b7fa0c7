import type { Command } from 'commander'
import type pg from 'pg'
import { rebuildSums } from '../bot/spend/charges.ts'
import { checkSums, type SumDifference, type SumsCheck } from '../bot/spend/sums.ts'
import { formatRub } from '../contract/money.ts'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import { openPrisma } from '../platform/database/prisma.ts'
import { type Field, writeJson, writeTable } from './output.ts'
import { type CommandContext, createProgram, onDatabase } from './program.ts'

const FIELDS: readonly Field<SumDifference>[] = [
  { head: 'user', read: ({ userId }) => String(userId) },
  { head: 'of', read: ({ key }) => key },
  { head: 'what', read: ({ column }) => column.replace('_micro_rub', '').replace('_', ' ') },
  { head: 'by the charges', read: (sum) => toValue(sum, sum.wanted) },
  { head: 'kept', read: (sum) => toValue(sum, sum.kept) },
  { head: 'difference', read: (sum) => toValue(sum, sum.kept - sum.wanted) },
]

/** `kopeck spend`: the sums that the bot stores beside the charges of its users. */
export function createSpendProgram({ env, print, ...help }: CommandContext): Command {
  const program = createProgram(help)
  program
    .command('check')
    .description('comparison of all sums with the charges; exit status 1 if a sum differs')
    .option('--json', 'JSON, amounts in micro-roubles as strings')
    .action(({ json }: { json?: true }) => onPrisma((prisma) => check(prisma, json)))
  program
    .command('rebuild')
    .description('new sums from the charges, also while the bot runs')
    .action(() => onPrisma(rebuild))
  return program

  async function onPrisma(work: (prisma: PrismaClient) => Promise<void>): Promise<void> {
    const onPool = (pool: pg.Pool) => {
      const prisma = openPrisma(pool)
      return work(prisma).finally(() => prisma.$disconnect())
    }
    // A database that may only be read can be checked.
    await onDatabase({ env }, onPool, { migrates: false })
  }

  async function check(prisma: PrismaClient, isJson = false): Promise<void> {
    const found = await checkSums(prisma)
    print(isJson ? writeJson(found) : describeSums(found))
    if (found.differenceCount > 0) process.exitCode = 1
  }

  async function rebuild(prisma: PrismaClient): Promise<void> {
    const count = await rebuildSums(prisma)
    print(`The sums were made from the charges of ${count} users.`)
  }
}

function describeSums(found: SumsCheck): string {
  const { charges, users, differences, differenceCount } = found
  const facts = [
    `Charges      ${charges.toLocaleString('en')} of ${users.toLocaleString('en')} users`,
    `Users pay    ${formatRub(found.amountMicroRub)} RUB`,
    `  estimated  ${formatRub(found.estimatedMicroRub)} RUB`,
    `Written off  ${formatRub(found.writtenOffMicroRub)} RUB`,
    `Reserved     ${formatRub(found.reservedMicroRub)} RUB`,
  ]
  if (differenceCount === 0) {
    return [...facts, '', 'All sums are what the charges say.'].join('\n')
  }
  const listed = differenceCount > differences.length ? `; the ${differences.length} largest:` : ':'
  const problem = `${differenceCount} sums are not what the charges say${listed}`
  const byUser = [...Map.groupBy(differences, ({ userId }) => userId).values()].flat()
  return [...facts, '', problem, '', writeTable(FIELDS, byUser)].join('\n')
}

/** The counters of charges are numbers, all other sums are amounts. */
function toValue({ column }: SumDifference, sum: bigint): number | bigint {
  return column === 'charges' ? Number(sum) : sum
}
