import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'

const SCHEMA_DIR = join(import.meta.dirname, '../../../prisma/schema')
const filters = { externalTables: [], externalEnums: [] }

/** The SQL that makes the schema folder's tables from nothing. */
export async function schemaScript(url: string): Promise<string> {
  const datamodels = await readSchema()
  return await withEngine(url, datamodels, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: 'empty' },
      to: {
        tag: 'schemaDatamodel',
        files: datamodels.map(([path, content]) => ({ path, content })),
      },
      script: true,
      exitCode: null,
      filters,
    })
    return stdout ?? ''
  })
}

/** The adapter cuts a script at each semicolon, also in a comment and a function; the engine's binary sends it whole. */
class WholeScripts extends PrismaPg {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super(pool)
    this.#pool = pool
  }

  override async connect() {
    const connection = await super.connect()
    connection.executeScript = async (script) => void (await this.#pool.query(script))
    return connection
  }
}

type Datamodels = [path: string, content: string][]

/** Does something with the engine on a database. */
export async function withEngine<T>(
  url: string,
  datamodels: Datamodels,
  act: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ connectionString: url })
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts(pool))
  const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter)
  try {
    return await act(engine)
  } finally {
    engine.free()
    // The engine leaves its lock to its connection.
    await pool.end()
  }
}

/** Reads the files of the schema folder. */
export async function readSchema(): Promise<Datamodels> {
  const names = await readdir(SCHEMA_DIR)
  return await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      return [`prisma/schema/${name}`, await readFile(join(SCHEMA_DIR, name), 'utf8')]
    }),
  )
}
