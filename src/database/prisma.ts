import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './database.ts'
import { PrismaClient } from './generated/client.ts'

/**
 * Opens the Prisma client on a pool that is there. Disconnect it before the pool ends.
 *
 * Apart from the pool, because a service alone has no use for it: loaded, it takes 4 MiB.
 */
export function openPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    // As long as the pool waits for a connection: two seconds, the default, fail in a burst.
    transactionOptions: { maxWait: CONNECT_TIMEOUT_MS },
  })
}
