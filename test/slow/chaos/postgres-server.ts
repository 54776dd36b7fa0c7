import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPostgresBinaries } from '../../../src/platform/database/postgres-binaries.ts'
import { findFreePort } from '../../platform/http/free-port.ts'

const copy = promisify(execFile)
const GONE_POLL_MS = 20

/** The machine does not lose its power here: what was written is there after any kill. */
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
  ...['fsync=off', 'full_page_writes=off', 'autovacuum=off'],
]

/** A PostgreSQL server of one test, which ends it as it likes. */
export interface PostgresServer {
  url: string
  port: number
  start(): Promise<void>
  /** Ends it as a crash of the machine does: nothing is written any more, no session is notified. */
  kill(): Promise<void>
  freeze(): Promise<void>
  thaw(): Promise<void>
  stop(): Promise<void>
}

/**
 * Makes a server's files below a folder, and starts it.
 *
 * @param standbyOf The folder of a server that was stopped: the new one is a standby with its files, that follows nobody.
 */
export async function startPostgresServer(
  dataDir: string,
  { standbyOf }: { standbyOf?: string } = {},
): Promise<PostgresServer> {
  const binaries = await findPostgresBinaries(dataDir)
  const directory = join(dataDir, 'postgres')
  const pidFile = join(directory, 'postmaster.pid')
  const port = Number(await findFreePort())
  await (standbyOf === undefined ? makeFiles() : copyFiles(join(standbyOf, 'postgres')))
  await start()
  return {
    url: `postgresql://kopeck@127.0.0.1:${port}/postgres`,
    port,
    start,
    kill,
    freeze,
    thaw,
    stop,
  }

  async function makeFiles(): Promise<void> {
    await mkdir(directory)
    await binaries.adopt(directory)
    await binaries.run('initdb', [
      `--pgdata=${directory}`,
      ...['--username=kopeck', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    ])
  }

  async function copyFiles(from: string): Promise<void> {
    // Node's own copy gives the files to the user of this process.
    await copy('cp', ['-a', from, directory])
    const signal = join(directory, 'standby.signal')
    await writeFile(signal, '')
    await binaries.adopt(signal)
  }

  async function start(): Promise<void> {
    const options = [...SETTINGS, `port=${port}`].map((setting) => `-c ${setting}`).join(' ')
    const log = join(directory, 'server.log')
    await binaries.run('pg_ctl', ['start', '-w', '-s', '-D', directory, '-l', log, '-o', options])
  }

  async function freeze(): Promise<void> {
    for (const each of await listServer(pidFile)) signalIfThere(each, 'SIGSTOP')
  }

  async function thaw(): Promise<void> {
    for (const each of await listServer(pidFile)) signalIfThere(each, 'SIGCONT')
  }

  async function kill(): Promise<void> {
    await killAll(await listServer(pidFile))
    await rm(pidFile, { force: true })
  }

  async function stop(): Promise<void> {
    await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'immediate', '-D', directory])
  }
}

/**
 * Lists a running server.
 *
 * @param pidFile Its `postmaster.pid`.
 * @returns The ids of the postmaster and of its children, which would end with it, but nothing reports when.
 */
async function listServer(pidFile: string): Promise<number[]> {
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Signals a process, unless it has ended. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends processes as a power cut does. Resolves when they are gone. */
async function killAll(pids: readonly number[]): Promise<void> {
  for (const each of pids) signalIfThere(each, 'SIGKILL')
  for (const each of pids) while (await isThere(each)) await delay(GONE_POLL_MS)
}

/** One that has ended stays listed until its parent asks for it, which in a container may be never. */
async function isThere(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}
