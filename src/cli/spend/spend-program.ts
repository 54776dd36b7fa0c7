import type { Command } from 'commander'
import { createCalendar } from '../../bot/spend/calendar.ts'
import type { BalanceCheck } from '../../bot/spend/check/balance-check.ts'
import { checkSums } from '../../bot/spend/check/check-sums.ts'
import { rebuildSums } from '../../bot/spend/check/rebuild-sums.ts'
import { createServiceBalance } from '../../bot/spend/check/service-balance.ts'
import { createServiceClient } from '../../contract/client/service-client.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { openPrisma } from '../../platform/database/prisma.ts'
import { readConfig } from '../../process/config.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { withPool } from '../command-line/with-pool.ts'
import { writeJson } from '../command-line/write-json.ts'
import { writeBalance } from './write-balance.ts'
import { writeCheck } from './write-check.ts'

/** `kopeck spend`: whether the sums of charges are right, and their making anew. */
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

  /** Reads only, and asks a remote service for its balance. */
  async function check(prisma: PrismaClient, { json }: { json: boolean }): Promise<void> {
    const found = await checkSums(prisma)
    const balance = env.SERVICE_URL ? await checkBalance(prisma) : undefined
    const lines = balance === undefined ? [] : ['', writeBalance(balance)]
    print(json ? writeJson({ ...found, balance }) : [writeCheck(found), ...lines].join('\n'))
    if (found.differenceCount > 0) process.exitCode = 1
  }

  /** @returns Undefined where the service does not tell its balance. */
  async function checkBalance(prisma: PrismaClient): Promise<BalanceCheck | undefined> {
    const { remoteServiceUrl: baseUrl = '', secrets, chat } = readConfig(env, ['bot'])
    const service = createServiceClient({ baseUrl, apiKey: secrets.serviceApiKey ?? '' })
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
