import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPostgresBinaries } from '../../../src/platform/database/embedded/postgres-binaries.ts'
import { findFreePort } from '../../platform/http/free-port.ts'

const GONE_POLL_MS = 20
/** The machine does not lose its power here: what was written is there after any kill. */
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
  ...['fsync=off', 'full_page_writes=off', 'autovacuum=off'],
]

/** A PostgreSQL server of one test, which ends it as it likes. */
export interface PostgresServer {
  /** The URL of the database `postgres`. The same for as long as the server has its files. */
  url: string
  port: number
  start(): Promise<void>
  /** Ends it as a crash of the machine does: nothing is written any more, no session is notified. */
  kill(): Promise<void>
  /** Stops all of it with its connections, as a paused machine does, until `thaw()`. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  stop(): Promise<void>
}

/** Makes a server's files below a folder, and starts it. */
export async function startPostgresServer(dataDir: string): Promise<PostgresServer> {
  const binaries = await findPostgresBinaries(dataDir)
  const directory = join(dataDir, 'postgres')
  const pidFile = join(directory, 'postmaster.pid')
  const port = Number(await findFreePort())
  await mkdir(directory)
  await binaries.adopt(directory)
  await binaries.run('initdb', [
    `--pgdata=${directory}`,
    ...['--username=kopeck', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
  ])
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

  async function start(): Promise<void> {
    const options = [...SETTINGS, `port=${port}`].map((setting) => `-c ${setting}`).join(' ')
    const log = join(directory, 'server.log')
    await binaries.run('pg_ctl', ['start', '-w', '-s', '-D', directory, '-l', log, '-o', options])
  }

  /** @returns The ids of the postmaster and of its children, which would end with it, but nothing reports when. */
  async function findProcesses(): Promise<number[]> {
    const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return [pid, ...children.split(' ').filter(Boolean).map(Number)]
  }

  async function freeze(): Promise<void> {
    for (const each of await findProcesses()) signalIfThere(each, 'SIGSTOP')
  }

  async function thaw(): Promise<void> {
    for (const each of await findProcesses()) signalIfThere(each, 'SIGCONT')
  }

  async function kill(): Promise<void> {
    const pids = await findProcesses()
    for (const each of pids) signalIfThere(each, 'SIGKILL')
    for (const each of pids) while (await isThere(each)) await delay(GONE_POLL_MS)
    await rm(pidFile, { force: true })
  }

  async function stop(): Promise<void> {
    await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'immediate', '-D', directory])
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** One that has ended stays listed until its parent asks for it, which in a container may be never. */
async function isThere(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}
