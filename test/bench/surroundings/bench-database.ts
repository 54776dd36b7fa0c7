import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../../src/platform/database/embedded/embedded.ts'
import { type Checkout, importFrom } from '../checkout.ts'
import { moveFamily } from '../measuring/cores.ts'
import { readFamilyCpuMs } from '../measuring/process-figures.ts'

/** One PostgreSQL server for a whole bench, with the settings of the embedded one. */
export interface BenchDatabase {
  /** The version that it reports itself, without its build. */
  version: string
  /** Its first process. */
  pid: number
  /** Makes a database as the checkout migrates it, with nothing in it. Resolves with its connection string. */
  create(checkout: Checkout): Promise<string>
  /** Makes one with everything that is in another, to which nothing may be connected. */
  copy(url: string): Promise<string>
  /** Keeps the server on a processor core from now on. */
  moveTo(core: string | undefined): Promise<void>
  /** The CPU that the server has used since its start, all its processes together. */
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
  const migrated = new Map<string, Promise<string>>()
  let databases = 0
  try {
    const pid = await readPid()
    const version = await readVersion()
    const moveTo = (core: string | undefined) => moveFamily(pid, core)
    const readCpuMs = () => readFamilyCpuMs(pid)
    return { version, pid, create, copy, moveTo, readCpuMs, stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function create(checkout: Checkout): Promise<string> {
    const template = migrated.get(checkout.root) ?? makeTemplate(checkout)
    migrated.set(checkout.root, template)
    return await copy(await template)
  }

  async function makeTemplate(checkout: Checkout): Promise<string> {
    const url = await copy(toUrl('template1'))
    type Migrate = typeof import('../../../src/platform/database/migrate.ts')
    const { migrate } = await importFrom<Migrate>(checkout, 'src/platform/database/migrate.ts')
    await migrate(url)
    return url
  }

  async function copy(url: string): Promise<string> {
    databases += 1
    const name = `bench_${databases}`
    const template = new URL(url).pathname.slice(1)
    await query(toUrl('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`)
    return toUrl(name)
  }

  function toUrl(name: string): string {
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return url.href
  }

  async function readVersion(): Promise<string> {
    const rows = await query<{ server_version: string }>(server.url, 'SHOW server_version')
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown'
  }

  async function readPid(): Promise<number> {
    return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
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
