import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readFamilyCpuMs } from './process-figures.ts'

/** One PostgreSQL server for a whole bench, with the settings of the embedded one. */
export interface BenchDatabase {
  /** As it tells it itself, without its build. */
  version: string
  /** Makes a migrated database with nothing in it. Resolves with its connection string. */
  create(): Promise<string>
  /** What the server has used since its start, all its processes together. */
  readCpuMs(): Promise<number>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** Starts it in a folder of its own that goes away with it. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  const server = await startEmbeddedDatabase({ dataDir }).catch(async (error) => {
    await removeFiles()
    throw error
  })
  let databases = 0
  try {
    await migrate(server.url)
    return { version: await readVersion(), create, readCpuMs, stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function create(): Promise<string> {
    databases += 1
    const url = new URL(server.url)
    const template = url.pathname.slice(1)
    const name = `bench_${databases}`
    url.pathname = '/postgres'
    await query(url.href, `CREATE DATABASE ${name} TEMPLATE ${template}`)
    url.pathname = `/${name}`
    return url.href
  }

  async function readVersion(): Promise<string> {
    const rows = await query<{ server_version: string }>(server.url, 'SHOW server_version')
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown'
  }

  async function readCpuMs(): Promise<number> {
    const pidFile = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
    return await readFamilyCpuMs(Number.parseInt(pidFile, 10))
  }

  async function stop(): Promise<void> {
    await server.stop().finally(removeFiles)
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
