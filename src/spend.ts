import { parseArgs } from 'node:util'
import pg from 'pg'
import { createCalendar } from './bot/spend/calendar.ts'
import type { BalanceCheck } from './bot/spend/check/balance-check.ts'
import { checkSums } from './bot/spend/check/check-sums.ts'
import { printBalance } from './bot/spend/check/print-balance.ts'
import { printCheck, printJson } from './bot/spend/check/print-check.ts'
import { rebuildSums } from './bot/spend/check/rebuild-sums.ts'
import { createServiceBalance } from './bot/spend/check/service-balance.ts'
import { createServiceClient } from './client/service-client.ts'
import { readConfig } from './config.ts'
import { joinDatabase } from './database/embedded/join-database.ts'
import type { PrismaClient } from './database/generated/client.ts'
import { openPrisma } from './database/prisma.ts'
import { readEnvironment } from './environment.ts'

const USAGE = 'Use: npm run spend -- check [--json] | rebuild'

/** `npm run spend`: whether the sums of charges are right, and their making anew. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readCommand(args, env)
  const { url, stop } = await joinDatabase(env)
  try {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const prisma = openPrisma(pool)
    try {
      await command(prisma)
    } finally {
      await prisma.$disconnect()
      await pool.end()
    }
  } finally {
    await stop()
  }
}

/** @throws {Error} One sentence for the operator, if the command is none. */
function readCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
): (prisma: PrismaClient) => Promise<void> {
  const { values, positionals } = readArgs(args)
  const [name] = positionals
  if (positionals.length !== 1) throw new Error(USAGE)
  if (name === 'check') return (prisma) => check(prisma, { json: values.json === true, env })
  if (name === 'rebuild' && values.json === undefined) return rebuild
  throw new Error(USAGE)
}

function readArgs(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } })
  } catch {
    throw new Error(USAGE)
  }
}

/** Reads only, and asks a remote service for its balance. Exit code 1 where a sum differs. */
async function check(
  prisma: PrismaClient,
  { json, env }: { json: boolean; env: NodeJS.ProcessEnv },
): Promise<void> {
  const found = await checkSums(prisma)
  const balance = env.SERVICE_URL ? await checkBalance(prisma, env) : undefined
  const lines = balance === undefined ? [] : ['', printBalance(balance)]
  const text = json ? printJson({ ...found, balance }) : [printCheck(found), ...lines].join('\n')
  process.stdout.write(`${text}\n`)
  if (found.differenceCount > 0) process.exitCode = 1
}

/** @returns Undefined where the service does not tell its balance. */
async function checkBalance(
  prisma: PrismaClient,
  env: NodeJS.ProcessEnv,
): Promise<BalanceCheck | undefined> {
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
  process.stdout.write(`The sums of ${count} users and groups were made from the charges.\n`)
}

try {
  await run(process.argv.slice(2), readEnvironment())
} catch (error) {
  const { message } = error as Error
  // Prisma tells the database's own words at the end of several lines.
  const [, told] = /Message: `(.*)`$/.exec(message) ?? []
  process.stderr.write(`${told ?? message.split('\n')[0]}\n`)
  process.exitCode = 2
}
