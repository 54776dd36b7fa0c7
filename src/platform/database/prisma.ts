import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './database.ts'
import { PrismaClient } from './generated/client.ts'

const STATEMENTS_MAX = 200

/** Opens the Prisma client on the pool. Disconnect it before the pool ends. Only the bot loads it: it takes 4 MiB. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: createStatementNames() }),
    // As long as the pool waits for a connection: two seconds, the default, fail in a burst.
    transactionOptions: { maxWait: CONNECT_TIMEOUT_MS },
  })
}

/** Names each statement, so that PostgreSQL plans it once a connection. Statements past the bound have no name. */
function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const name = names.get(sql)
    if (name !== undefined || names.size >= STATEMENTS_MAX) return name ?? ''
    names.set(sql, `prisma_${names.size}`)
    return `prisma_${names.size - 1}`
  }
}

/** Reads the database's time: the date of this machine may be wrong. */
export async function readTime(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<Date> {
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  if (row === undefined) throw new TypeError('Cannot read time: no row')
  return row.now
}
