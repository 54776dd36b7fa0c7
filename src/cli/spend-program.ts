import type { Command } from 'commander'
import { createCalendar } from '../bot/spend/calendar.ts'
import type { SumDifference, SumsCheck } from '../bot/spend/check/check-sums.ts'
import { checkSums } from '../bot/spend/check/check-sums.ts'
import { rebuildSums } from '../bot/spend/check/rebuild-sums.ts'
import { type BalanceCheck, createServiceBalance } from '../bot/spend/check/service-balance.ts'
import { createServiceClient } from '../contract/client/service-client.ts'
import { formatRub } from '../contract/money.ts'
import type { PrismaClient } from '../platform/database/generated/client.ts'
import { openPrisma } from '../platform/database/prisma.ts'
import { readConfig } from '../process/config/config.ts'
import { openProxies } from '../process/process-proxies.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { withPool } from './command-line/with-pool.ts'
import { type Column, writeJson, writeTable } from './command-line/write-output.ts'

/** `kopeck spend` checks whether the sums of charges are right, and makes them again. */
export function createSpendProgram({ use, env, print }: CommandDeps): Command {
  const program = createProgram({
    use,
    about: 'Checks what the bot keeps of its users’ charges.',
  })
  program
    .command('check')
    .description('compare every sum with the charges; exit status 1 where one differs')
    .option('--json', 'print JSON, amounts in micro-roubles as strings')
    .action(({ json = false }) => onPrisma((prisma) => check(prisma, { json })))
  program
    .command('rebuild')
    .description('make every sum from the charges, while the bot runs')
    .action(() => onPrisma(rebuild))
  return program

  async function onPrisma(work: (prisma: PrismaClient) => Promise<void>): Promise<void> {
    // A database that may only be read can be checked.
    await withPool({ env, migrates: false }, async (pool) => {
      const prisma = openPrisma(pool)
      try {
        await work(prisma)
      } finally {
        await prisma.$disconnect()
      }
    })
  }

  async function check(prisma: PrismaClient, { json }: { json: boolean }): Promise<void> {
    const found = await checkSums(prisma)
    const balance = env.SERVICE_URL ? await checkBalance(prisma) : undefined
    const lines = balance === undefined ? [] : ['', writeBalance(balance)]
    print(json ? writeJson({ ...found, balance }) : [writeCheck(found), ...lines].join('\n'))
    if (found.differenceCount > 0) process.exitCode = 1
  }

  async function checkBalance(prisma: PrismaClient): Promise<BalanceCheck | undefined> {
    const config = readConfig(env, ['bot'])
    const { remoteServiceUrl: baseUrl = '', secrets, chat } = config
    const service = createServiceClient({
      baseUrl,
      apiKey: secrets.serviceApiKey ?? '',
      proxies: openProxies(config).upstream,
    })
    try {
      const calendar = createCalendar({ timeZone: chat.timeZone })
      return await createServiceBalance({ prisma, service, calendar, keepsReadings: false }).check()
    } finally {
      await service.close()
    }
  }

  async function rebuild(prisma: PrismaClient): Promise<void> {
    const count = await rebuildSums(prisma)
    print(`The sums of ${count} users and groups were made from the charges.`)
  }
}

/** Writes what the check of the balance found as lines for people, amounts in roubles to the last micro-rouble. */
export function writeBalance(check: BalanceCheck): string {
  const { from, movedMicroRub, chargedMicroRub, differenceMicroRub, mayEvenOut } = check
  return [
    `Since ${from.toISOString()} the balance fell by ${formatRub(movedMicroRub)} RUB, and users were charged ${formatRub(chargedMicroRub)} RUB.`,
    `The difference is ${formatExactRub(differenceMicroRub)} RUB.`,
    ...(mayEvenOut
      ? ['Requests are under way or have just ended: a part may still even out.']
      : []),
  ].join('\n')
}

/** Writes all six decimals, so that a difference of nothing looks like one. */
function formatExactRub(microRub: bigint): string {
  const [whole = '', decimals = ''] = formatRub(microRub).split('.')
  return `${whole}.${decimals.padEnd(6, '0')}`
}

const COLUMNS: readonly Column[] = [
  { head: 'user or group' },
  { head: 'kept in' },
  { head: 'of' },
  { head: 'what' },
  { head: 'by the charges', isNumber: true },
  { head: 'kept', isNumber: true },
  { head: 'difference', isNumber: true },
]

/** Writes what a check found as lines for people, amounts in roubles to the last micro-rouble. */
export function writeCheck(found: SumsCheck): string {
  const { charges, users, differences, differenceCount } = found
  const facts = [
    `Charges      ${charges.toLocaleString('en')} of ${users.toLocaleString('en')} users`,
    `Users pay    ${formatRub(found.amountMicroRub)} RUB`,
    `  estimated  ${formatRub(found.estimatedMicroRub)} RUB`,
    `Written off  ${formatRub(found.writtenOffMicroRub)} RUB`,
    `Reserved     ${formatRub(found.reservedMicroRub)} RUB`,
  ]
  if (differenceCount === 0) {
    return [...facts, '', 'All sums and counters are what the charges say.'].join('\n')
  }
  const listed = differenceCount > differences.length ? `; the ${differences.length} largest:` : ':'
  return [
    ...facts,
    '',
    `${differenceCount} sums are not what the charges say${listed}`,
    '',
    writeTable(COLUMNS, byUser(differences).map(toCells)),
  ].join('\n')
}

function byUser(differences: readonly SumDifference[]): SumDifference[] {
  return [...Map.groupBy(differences, ({ id }) => id).values()].flat()
}

function toCells({ id, table, key, column, wanted, kept }: SumDifference): string[] {
  const amount = (value: bigint) => (column === 'charges' ? String(value) : formatRub(value))
  const what = column.replace('_micro_rub', '').replace('_', ' ')
  return [String(id), table, key, what, amount(wanted), amount(kept), amount(kept - wanted)]
}
