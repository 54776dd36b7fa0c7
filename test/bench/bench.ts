/**
 * What all parts share: a PostgreSQL server, programs under measurement, and their CPU, memory and WAL.
 *
 * In: a part starts programs and measures work. Out: figures. A bench that closes ends every program that it started
 * and removes every file that it wrote, also if the part failed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded.ts'

/** A program to measure: Kopeck in a checkout, or a gateway by others in a folder of npm. */
export interface Target {
  name: 'Kopeck' | 'before' | 'llms' | 'Portkey'
  root: string
}

/** Figures of one slice by name; the name includes the unit. */
export type Figures = Record<string, number>

/** One subject of the bench. */
export interface Part {
  about: string
  /** Whether gateways by others do the same work. */
  hasPeers?: true
  /** Starts the target and warms it up. The result measures one slice. */
  open(bench: Bench, target: Target): Promise<() => Promise<Figures>>
}

/** Which core PostgreSQL shares: that of the programs under measurement, or that of the load. */
export type Pinning = 'same' | 'apart'

export interface Program {
  child: ChildProcess
  pid: number
  /** Where it listens, if it reported an address. */
  address: string
  /** Ends it; by SIGKILL after a while. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

const READY_MS_MAX = 60_000
const STOP_MS_MAX = 25_000
const PORT_POLL_MS = 20
const LINES_MAX = 30
/** `USER_HZ`, the same on every Linux that Node has binaries for. */
const TICKS_PER_SECOND = 100
/** The first core is that of the programs under measurement, the second that of the load and the double of a model. */
const [MEASURED_CORE, LOAD_CORE] = ['0', '1'] as const

export class Bench {
  /** Aborts when the bench closes or is interrupted. */
  readonly signal: AbortSignal
  readonly #closing = new AbortController()
  /** Rejects when a program ends by itself or the bench is interrupted. */
  readonly failure = Promise.withResolvers<never>()
  readonly #programs: Program[] = []
  readonly #server: DatabaseServer
  readonly #pinning: Pinning | undefined
  #databases = 0
  #upstream: Promise<Program> | undefined

  constructor(server: DatabaseServer, interrupted: AbortSignal, pinning?: Pinning) {
    this.#server = server
    this.#pinning = pinning
    this.signal = AbortSignal.any([interrupted, this.#closing.signal])
    this.signal.addEventListener('abort', () => this.failure.reject(this.signal.reason))
    this.failure.promise.catch(() => {})
  }

  /** Makes an empty database, and returns its connection string. */
  async createDatabase(): Promise<string> {
    this.#databases += 1
    const name = `bench_${this.#databases}`
    await this.#server.admin.query(`CREATE DATABASE ${name}`)
    return Object.assign(new URL(this.#server.database.url), { pathname: name }).href
  }

  /** Updates the statistics that plans depend on, as autovacuum does within a minute. */
  async analyze(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('ANALYZE')
    await client.end()
  }

  /**
   * Logs the statements that come over new connections to a database.
   *
   * @returns Reads when each of them began, in milliseconds since 1970.
   */
  async logStatements(url: string): Promise<() => Promise<number[]>> {
    const { admin, folder } = this.#server
    const name = new URL(url).pathname.slice(1)
    await admin.query(`ALTER SYSTEM SET log_line_prefix = '%n %d '`)
    await admin.query('SELECT pg_reload_conf()')
    await admin.query(`ALTER DATABASE ${name} SET log_statement = 'all'`)
    return async () => {
      const log = await readFile(join(folder, 'postgres/server.log'), 'utf8')
      const lines = log.matchAll(
        new RegExp(`^(\\d+\\.\\d+) ${name} LOG:  (statement|execute)`, 'gm'),
      )
      return Array.from(lines, ([, seconds]) => Number(seconds) * 1_000)
    }
  }

  makeFolder(): Promise<string> {
    return mkdtemp(join(this.#server.folder, 'data-'))
  }

  /** The double of models and of the service, which all contenders share. */
  upstream(): Promise<Program> {
    this.#upstream ??= this.startProgram(nodeOf('upstream.ts'), { isLoad: true })
    return this.#upstream
  }

  startKopeck(root: string, roles: string[], env: Record<string, string>): Promise<Program> {
    const command = [process.execPath, join(root, 'src/kopeck.js'), 'start', ...roles]
    return this.startProgram(command, { env: { PORT: '0', PLAYGROUND_PORT: '0', ...env } })
  }

  /** Runs another command of Kopeck to its end, and returns its output. */
  async runKopeck(root: string, args: string[], env: Record<string, string>): Promise<string> {
    const { signal } = this
    const options = { cwd: this.#server.folder, env: { PATH: process.env.PATH, ...env }, signal }
    const command = [join(root, 'src/kopeck.js'), ...args]
    return (await promisify(execFile)(process.execPath, command, options)).stdout
  }

  /**
   * Starts a program, and waits until it is ready.
   *
   * @param options.env All of its environment except the path.
   * @param options.port It is ready when this port answers. Default: when it logs `"msg":"ready"`.
   * @param options.onMessage Receives its IPC messages. Default: no IPC.
   * @param options.isLoad It is not measured: if programs are pinned to cores, it runs beside the load.
   */
  async startProgram(
    command: readonly string[],
    options: {
      env?: object
      port?: number
      onMessage?: (message: unknown) => void
      isLoad?: boolean
    } = {},
  ): Promise<Program> {
    const { env, port, onMessage, isLoad = false } = options
    this.signal.throwIfAborted()
    const core = isLoad ? LOAD_CORE : MEASURED_CORE
    const pinned = this.#pinning === undefined ? command : ['taskset', '-c', core, ...command]
    const [file = '', ...args] = pinned
    const child = spawn(file, args, {
      // Far from the .env of a checkout.
      cwd: this.#server.folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(onMessage ? ['ipc' as const] : [])],
    })
    if (onMessage) child.on('message', onMessage)
    const lines: string[] = []
    const ready = Promise.withResolvers<string>()
    for (const input of [child.stdout, child.stderr]) {
      if (input === null) continue
      createInterface({ input }).on('line', (line) => {
        if (lines.push(line.slice(0, 500)) > LINES_MAX) lines.shift()
        if (line.includes('"msg":"ready"')) ready.resolve(line)
      })
    }
    const fail = (why: string) =>
      this.failure.reject(new Error(`${args.join(' ')} ${why}:\n${lines.join('\n')}`))
    const exited = once(child, 'exit')
    let isStopping = false
    const onExit = () => isStopping || fail('ended by itself')
    exited.then(onExit, onExit)
    const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
      isStopping = true
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      child.kill(signal)
      await exited.catch(() => {}).finally(() => clearTimeout(force))
    }
    const program = { child, pid: child.pid ?? 0, address: '', stop }
    this.#programs.push(program)
    const timer = setTimeout(() => fail('is not ready'), READY_MS_MAX)
    const isReady = port === undefined ? ready.promise : this.#untilAnswers(port)
    const line = await Promise.race([isReady, this.failure.promise]).finally(() =>
      clearTimeout(timer),
    )
    program.address = JSON.parse(line).address
    return program
  }

  /** Measures a program and PostgreSQL while they do some work. */
  async measure<Result>(pid: number, work: () => Promise<Result>) {
    const [cpuMs, databaseCpuMs, walBytes] = await this.#readUse(pid)
    const result = await work()
    const after = await this.#readUse(pid)
    return {
      result,
      cpuMs: after[0] - cpuMs,
      databaseCpuMs: after[1] - databaseCpuMs,
      walBytes: after[2] - walBytes,
    }
  }

  /** Ends everything that the bench started, the last first, and removes its files. */
  async close(): Promise<void> {
    const { admin, database, folder } = this.#server
    this.#closing.abort(new Error('The bench has closed'))
    for (const program of this.#programs.toReversed()) await program.stop()
    await admin.end()
    await database.stop().finally(() => rm(folder, { recursive: true, force: true }))
  }

  async #readUse(pid: number) {
    const { rows } = await this.#server.admin.query<{ bytes: string }>(
      `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`,
    )
    const { ownMs } = await readCpu(pid)
    return [ownMs, await readFamilyCpuMs(this.#server.pid), Number(rows[0]?.bytes)] as const
  }

  async #untilAnswers(port: number): Promise<string> {
    const address = `http://127.0.0.1:${port}`
    while (!(await fetch(address).catch(() => undefined))) {
      await delay(PORT_POLL_MS, undefined, { signal: this.signal })
    }
    return JSON.stringify({ address })
  }
}

type DatabaseServer = Awaited<ReturnType<typeof startServer>>

/**
 * Starts PostgreSQL.
 *
 * @param pinning This process is pinned to the core of the load, PostgreSQL to that of the measured programs or the load.
 */
export async function startServer(pinning?: Pinning) {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  try {
    const database = await startEmbeddedDatabase({ dataDir: folder })
    const pid = Number.parseInt(await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)
    if (pinning !== undefined) {
      await pin(process.pid, LOAD_CORE)
      // Its sessions inherit the core.
      await pin(pid, pinning === 'same' ? MEASURED_CORE : LOAD_CORE)
    }
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    return { folder, database, admin, pid }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Moves all threads of a process to a core. */
async function pin(pid: number, core: string): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', core, `${pid}`])
}

/** The command that runs a file of this folder. */
export function nodeOf(file: string): string[] {
  const path = join(import.meta.dirname, file)
  return [process.execPath, '--disable-warning=ExperimentalWarning', path]
}

/** Memory of a process now and at its peak. */
export async function readMemory(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const readBytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { rssBytes: readBytes('VmRSS'), peakRssBytes: readBytes('VmHWM') }
}

/** CPU time of a process and its children, including children that have ended. */
async function readFamilyCpuMs(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const { ownMs, endedChildrenMs } = await readCpu(pid)
  // A child that ends just now counts as ended the next time.
  const living = children.split(' ').filter(Boolean).map(Number)
  const cpu = await Promise.all(living.map((child) => readCpu(child).catch(() => ({ ownMs: 0 }))))
  return cpu.reduce((sum, each) => sum + each.ownMs, ownMs + endedChildrenMs)
}

async function readCpu(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may contain anything; the state follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = Number.NaN, system = 0, childUser = 0, childSystem = 0] = fields
    .slice(11, 15)
    .map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND)
  return { ownMs: user + system, endedChildrenMs: childUser + childSystem }
}

/** The smallest sample that a share of all samples (above 0, at most 1) do not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const found = sorted[Math.ceil(share * sorted.length) - 1]
  if (found === undefined) throw new RangeError(`No percentile ${share} of ${samples.length}`)
  return found
}
