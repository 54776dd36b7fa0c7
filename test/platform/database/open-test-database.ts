import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../../src/platform/database/database.ts'
import type { PrismaClient } from '../../../src/platform/database/generated/client.ts'
import { openPrisma } from '../../../src/platform/database/prisma.ts'

/** The database of a process, and Prisma to look into it. */
export interface TestDatabase extends Database {
  prisma: PrismaClient
}

/** Opens both. `close()` ends both. */
export function openTestDatabase(options: DatabaseOptions): TestDatabase {
  const database: Database = openDatabase(options)
  const prisma = openPrisma(database.pool)
  return {
    ...database,
    prisma,
    async close() {
      await prisma.$disconnect()
      await database.close()
    },
  }
}
