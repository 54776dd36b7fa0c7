import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  DataDirInUseError,
  startEmbeddedDatabase,
} from '../../../src/platform/database/embedded.ts'

/** One for all tests, each of which leaves it with no server: to make its files takes longer than most of them. */
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-embedded-'))
})

afterAll(() => rm(dataDir, { recursive: true }))

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]
  } finally {
    await client.end()
  }
}

async function serverPort(): Promise<number> {
  return Number((await readLockFile())[3])
}

async function serverPid(): Promise<number> {
  return Number((await readLockFile())[0])
}

async function readLockFile(): Promise<string[]> {
  return (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answered
}

async function startAndKill(): Promise<void> {
  const embedded = new URL('../../../src/platform/database/embedded.ts', import.meta.url).href
  const code = `
    const { startEmbeddedDatabase } = await import(${JSON.stringify(embedded)})
    await startEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)} })
    process.stdout.write('ready')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

test('of two first starts at once one gets the folder, the other an error', async () => {
  const starts = await Promise.allSettled([
    startEmbeddedDatabase({ dataDir }),
    startEmbeddedDatabase({ dataDir }),
  ])

  const started = starts.filter((start) => start.status === 'fulfilled')
  const refused = starts.filter((start) => start.status === 'rejected')
  for (const { value } of started) await value.stop()
  expect(started).toHaveLength(1)
  expect(refused[0]?.reason).toBeInstanceOf(DataDirInUseError)
  const files = ['instance', 'postgres', 'postgres.lock', 'postgres.password']
  expect((await readdir(dataDir)).sort()).toEqual(files)
})

test('startEmbeddedDatabase() refuses a folder that a living process owns, and leaves it alone; stop() may be repeated and leaves no server; the next start has what was written', async () => {
  const first = await startEmbeddedDatabase({ dataDir })
  const port = await serverPort()
  await expect(startEmbeddedDatabase({ dataDir })).rejects.toThrow(DataDirInUseError)
  await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const before = await answers(port)

  await Promise.all([first.stop(), first.stop()])

  expect([before, await answers(port)]).toEqual([true, false])
  const second = await startEmbeddedDatabase({ dataDir })
  expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42)
  await second.stop()
})

test.runIf(process.platform === 'linux')(
  'the server has nothing of our environment that it does not need',
  async () => {
    vi.stubEnv('BOT_TOKEN', '123456:secret')
    vi.stubEnv('PGDATABASE', 'another')
    onTestFinished(() => void vi.unstubAllEnvs())
    const embedded = await startEmbeddedDatabase({ dataDir })
    onTestFinished(() => embedded.stop())

    const environment = await readFile(`/proc/${await serverPid()}/environ`, 'utf8')

    const names = environment.split('\0').map((line) => line.split('=')[0])
    expect(environment).not.toContain('secret')
    expect(names).toContain('LC_ALL')
    expect(names).not.toContain('PGDATABASE')
  },
)

test.runIf(process.platform === 'linux')(
  'the server, another user where we are root, works in a folder that is closed to others',
  async () => {
    const parent = await mkdtemp(join(tmpdir(), 'kopeck-closed-'))
    await chmod(parent, 0o755)
    onTestFinished(() => rm(parent, { recursive: true }))
    const closed = join(parent, 'data')
    const embedded = await startEmbeddedDatabase({ dataDir: closed })
    onTestFinished(() => embedded.stop())

    const log = await stat(join(closed, 'postgres/server.log'))

    expect(await ask(embedded.url, 'CREATE TABLE kept AS SELECT 42 AS answer')).toBeUndefined()
    expect((await stat(closed)).mode & 0o077).toBe(process.getuid?.() === 0 ? 0o011 : 0)
    expect(log.mode & 0o777).toBe(0o600)
    const pid = (await readFile(join(closed, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/CapEff:\t0+\n/)
  },
)

test('a start after kill -9 stops the server of the killed process and starts again', async () => {
  await startAndKill()
  const port = await serverPort()
  const before = await answers(port)

  const database = await startEmbeddedDatabase({ dataDir })

  expect([before, await answers(port)]).toEqual([true, false])
  expect(await ask(database.url, 'SELECT 1')).toBe(1)
  await database.stop()
})

test('a server that was killed is started again at the same address, and keeps what was written', async () => {
  const troubles: Error[] = []
  const database = await startEmbeddedDatabase({ dataDir, onTrouble: (it) => troubles.push(it) })
  onTestFinished(() => database.stop())
  await ask(database.url, 'CREATE TABLE written AS SELECT 42 AS answer')

  for (const _kill of ['first', 'second']) {
    const killed = await serverPid()
    process.kill(killed, 'SIGKILL')
    // It may be away for less than the time between two looks.
    await expect.poll(serverPid).not.toBe(killed)
    await expect.poll(() => ask(database.url, 'SELECT answer FROM written').catch(() => 0)).toBe(42)
  }

  expect(troubles.map(({ message }) => message)).toContain(
    'Cannot reach the database: its server ended, it is started again',
  )
})

test('stop() ends a server that is being started again, and one that does not react', async () => {
  const killed = await startEmbeddedDatabase({ dataDir })
  const { port } = new URL(killed.url)
  process.kill(await serverPid(), 'SIGKILL')
  await killed.stop(0)
  const frozen = await startEmbeddedDatabase({ dataDir })
  process.kill(await serverPid(), 'SIGSTOP')

  await frozen.stop(0)

  expect(await answers(Number(port))).toBe(false)
  expect(await answers(Number(new URL(frozen.url).port))).toBe(false)
})

test('a start that is aborted leaves no server and no claim behind', async () => {
  const first = await startEmbeddedDatabase({ dataDir })
  await first.stop()
  const stopping = new AbortController()
  // A server that waits for another one's log takes no connections, so the start does not end before it is aborted.
  const standby = join(dataDir, 'postgres/standby.signal')
  await writeFile(standby, '')
  const settings = ['hot_standby=off']
  const starting = startEmbeddedDatabase({ dataDir, settings, signal: stopping.signal })
  await expect.poll(serverPid).toBeGreaterThan(0)
  const pid = await serverPid()

  stopping.abort(new Error('stopped'))

  await expect(starting).rejects.toThrow('stopped')
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  await rm(standby)
  const again = await startEmbeddedDatabase({ dataDir })
  await again.stop()
})
