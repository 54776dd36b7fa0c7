import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'

const SCHEMA_DIR = join(import.meta.dirname, '../../../prisma/schema')

/** The SQL that makes the schema folder's tables from nothing. */
export async function schemaScript(url: string): Promise<string> {
  const names = await readdir(SCHEMA_DIR)
  const files = await Promise.all(
    names.map(async (name) => ({
      path: `prisma/schema/${name}`,
      content: await readFile(join(SCHEMA_DIR, name), 'utf8'),
    })),
  )
  const datamodels = files.map(({ path, content }): [string, string] => [path, content])
  const pool = new pg.Pool({ connectionString: url })
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool))
  const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter)
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
    return stdout ?? ''
  } finally {
    engine.free()
    await pool.end()
  }
}
