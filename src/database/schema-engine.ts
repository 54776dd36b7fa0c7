import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import type { Migration } from './migrate.ts'

const SCHEMA_DIR = join(import.meta.dirname, '../../prisma/schema')

/**
 * Applies what the database does not have yet by Prisma's own schema engine, compiled to WASM: it
 * needs no binary of the machine. Loaded, it takes 13 MiB and more, so only a start that has to migrate does.
 */
export async function applyMigrations(url: string, migrations: Migration[]): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const scripts = wholeScripts(pool)
  const adapter = bindMigrationAwareSqlAdapterFactory(scripts.factory)
  const engine = await SchemaEngine.new({ datamodels: await readSchema() }, () => {}, adapter)
  try {
    await engine.applyMigrations({
      migrationsList: {
        baseDir: 'prisma/migrations',
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    })
  } catch (error) {
    // The engine only tells that a script failed; PostgreSQL told why.
    throw scripts.failure() ?? error
  } finally {
    engine.free()
    await pool.end()
  }
}

/** @returns Path and text of each file of the schema, as the engine wants them. */
async function readSchema(): Promise<[path: string, text: string][]> {
  const names = (await readdir(SCHEMA_DIR)).filter((name) => name.endsWith('.prisma')).sort()
  return await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      return [`prisma/schema/${name}`, await readFile(join(SCHEMA_DIR, name), 'utf8')]
    }),
  )
}

/**
 * Sends each migration as one script. The adapter itself cuts scripts at every semicolon, inside
 * function bodies too; PostgreSQL runs a whole one in a single transaction.
 */
function wholeScripts(pool: pg.Pool) {
  let failure: Error | undefined
  const factory = new PrismaPg(pool)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    adapter.executeScript = async (script) => {
      try {
        await pool.query(script)
      } catch (cause) {
        failure = new Error(`Cannot migrate: ${(cause as Error).message}`, { cause })
        throw cause
      }
    }
    return adapter
  }
  return { factory, failure: () => failure }
}
