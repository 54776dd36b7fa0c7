import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from './generated/client.ts'

/** One process's way to PostgreSQL: Prisma and plain SQL over one pool. */
export interface Database {
  prisma: PrismaClient
  /** For statements that guard an invariant and are written in SQL. */
  pool: pg.Pool
  close(): Promise<void>
}

/** A failed connection attempt must not hold up a start or a request for longer. */
const CONNECT_TIMEOUT_MS = 10_000

export interface DatabaseOptions {
  url: string
  /** Connections at most. */
  connectionsMax?: number
  /** Told of a connection that broke while idle; the pool replaces it. */
  onIdleError?: (error: Error) => void
}

/** Opens the pool. Connects at the first query, not here. */
export function openDatabase({ url, connectionsMax = 20, onIdleError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  pool.on('error', (error) => onIdleError?.(error))
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    // As long as the pool waits for a connection: two seconds, the default, fail in a burst.
    transactionOptions: { maxWait: CONNECT_TIMEOUT_MS },
  })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}
