import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { onCore } from './cores.ts'

const ROOT = join(import.meta.dirname, '../../..')
const READY_MS_MAX = 30_000
const PORT_EVERY_MS = 20
const STOP_MS_MAX = 25_000
const LINES_MAX = 50
const LINE_CHARS_MAX = 500

/** A command to run and its arguments. */
export type Program = readonly [command: string, ...args: string[]]

/** A Node program without anything that would make it better or worse. */
export function plainNode(path: string, ...args: string[]): Program {
  return [process.execPath, '--disable-warning=ExperimentalWarning', path, ...args]
}

/** A program under measurement, or one that it needs, running as a process of its own. */
export interface RunningProgram {
  pid: number
  /** The address where it listens, if it printed one when it was ready. */
  address: string
  /** The line by which it reported that it is ready. */
  readyLine: string
  /** Rejects when the process ends by itself, with the last it wrote. Never resolves. */
  failed: Promise<never>
  /** Ends the process, by force if it takes too long. Safe to repeat. */
  stop(): Promise<void>
}

export interface ProgramOptions {
  program: Program
  /** All of its environment but the path and NODE_OPTIONS. */
  env?: Readonly<Record<string, string>>
  /** The checkout that it runs in. Default this one. */
  root?: string
  /** The processor cores that it is kept on. */
  core?: string | undefined
  /** It is ready when this port takes connections. Default: when it writes `"msg":"ready"`. */
  port?: number
  /** Ends the process when it aborts. */
  signal: AbortSignal
}

/**
 * Starts a program and waits until it is ready.
 *
 * NODE_OPTIONS is handed on: with `--cpu-prof --cpu-prof-dir=FOLDER` a profile of each process is
 * kept, the bench's own among them.
 */
export async function startProgram({
  program,
  env,
  root = ROOT,
  core,
  port,
  signal,
}: ProgramOptions): Promise<RunningProgram> {
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  const [command, ...args] = onCore(program, core)
  const child = spawn(command, args, {
    cwd: root,
    // npm puts the package's own programs first, Node among them.
    env: { PATH: `${join(root, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const ready = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line.slice(0, LINE_CHARS_MAX))
      if (lines.length > LINES_MAX) lines.shift()
      if (line.includes('"msg":"ready"')) ready.resolve(line)
    })
  }
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => {
    throw new Error(`${program.join(' ')} ended with ${code}:\n${lines.join('\n')}`)
  })
  // Each wait for the process rejects at its end; after `stop()` none is left.
  failed.catch(() => {})
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  const givenUp = new AbortController()
  const timer = setTimeout(() => {
    givenUp.abort()
    ready.reject(new Error(`${program.join(' ')} is not ready:\n${lines.join('\n')}`))
  }, READY_MS_MAX)
  if (port !== undefined) {
    untilListens(port, givenUp.signal).then(
      () => ready.resolve(JSON.stringify({ address: `http://127.0.0.1:${port}` })),
      () => {},
    )
  }
  try {
    signal.throwIfAborted()
    const readyLine = await Promise.race([ready.promise, failed])
    const { address = '' } = JSON.parse(readyLine) as { address?: string }
    return { pid: child.pid ?? 0, address, readyLine, failed, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(timer)
    givenUp.abort()
  }

  async function stop(): Promise<void> {
    const force = setTimeout(end, STOP_MS_MAX)
    child.kill('SIGTERM')
    await exited.finally(() => clearTimeout(force))
    signal.removeEventListener('abort', end)
  }
}

/** A port that nothing listens on just now, for programs that cannot look for one themselves. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilListens(port: number, signal: AbortSignal): Promise<void> {
  while (!(await listens(port))) await delay(PORT_EVERY_MS, undefined, { signal })
}

function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}
