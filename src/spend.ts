import { parseArgs } from 'node:util'
import pg from 'pg'
import { checkSums } from './bot/spend/check/check-sums.ts'
import { printCheck, toJson } from './bot/spend/check/print-check.ts'
import { rebuildSums } from './bot/spend/check/rebuild-sums.ts'
import { joinDatabase } from './database/embedded/join-database.ts'
import type { PrismaClient } from './database/generated/client.ts'
import { openPrisma } from './database/prisma.ts'
import { readEnvironment } from './environment.ts'

const USAGE = 'Use: npm run spend -- check [--json] | rebuild'

/** `npm run spend`: whether the sums of charges are right, and their making anew. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readCommand(args)
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
function readCommand(args: string[]): (prisma: PrismaClient) => Promise<void> {
  const { values, positionals } = readArgs(args)
  const [name] = positionals
  if (positionals.length !== 1) throw new Error(USAGE)
  if (name === 'check') return (prisma) => check(prisma, { json: values.json === true })
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

/** Reads only. Exit code 1 where something differs. */
async function check(prisma: PrismaClient, { json }: { json: boolean }): Promise<void> {
  const found = await checkSums(prisma)
  process.stdout.write(`${json ? toJson(found) : printCheck(found)}\n`)
  if (found.differenceCount > 0) process.exitCode = 1
}

async function rebuild(prisma: PrismaClient): Promise<void> {
  const count = await rebuildSums(prisma)
  process.stdout.write(`The sums of ${count} users and groups were made from the charges.\n`)
}

try {
  await run(process.argv.slice(2), readEnvironment())
} catch (error) {
  const [sentence = ''] = (error as Error).message.split('\n').filter((line) => line.trim() !== '')
  process.stderr.write(`${sentence || 'The database cannot be reached'}\n`)
  process.exitCode = 2
}
