import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import packageJson from '../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')
const READY_MS_MAX = 30_000
const STOP_MS_MAX = 25_000
const LINES_MAX = 50

/** What is to run: a command and its arguments. */
export type Program = readonly [command: string, ...args: string[]]

/** Kopeck as `npm start -- ROLE` has it: with the flags and the cache of the script. */
export function kopeck(...roles: string[]): Program {
  return ['sh', '-c', `${packageJson.scripts.start} "$@"`, 'npm start', ...roles]
}

/** A Node program without anything that would make it better or worse. */
export function plainNode(path: string): Program {
  return [process.execPath, '--disable-warning=ExperimentalWarning', path]
}

/** A program under measurement, or one that it needs, running as a process of its own. */
export interface Contender {
  pid: number
  /** Where it listens, if it said so when it was ready. */
  address: string
  /** Rejects when the process ends by itself, with the last it wrote. Never resolves. */
  failed: Promise<never>
  /** Ends the process, by force if it takes too long. Safe to repeat. */
  stop(): Promise<void>
}

/**
 * Starts a program and waits until it writes that it is ready.
 *
 * NODE_OPTIONS is handed on: with `--cpu-prof --cpu-prof-dir=FOLDER` a profile of each process is
 * kept, the bench's own among them.
 *
 * @param env All of its environment but the path and NODE_OPTIONS.
 * @param signal Ends the process when it aborts.
 */
export async function startContender({
  program,
  env,
  signal,
}: {
  program: Program
  env: Readonly<Record<string, string>>
  signal: AbortSignal
}): Promise<Contender> {
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  const [command, ...args] = program
  const child = spawn(command, args, {
    cwd: ROOT,
    // npm puts the package's own programs first, Node among them.
    env: { PATH: `${join(ROOT, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const ready = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > LINES_MAX) lines.shift()
      if (line.includes('"msg":"ready"')) ready.resolve(line)
    })
  }
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => {
    throw new Error(`${program.join(' ')} ended with ${code}:\n${lines.join('\n')}`)
  })
  // Whoever waits for something of the process hears of its end; after `stop()` nobody does.
  failed.catch(() => {})
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => {
    ready.reject(new Error(`${program.join(' ')} is not ready:\n${lines.join('\n')}`))
  }, READY_MS_MAX)
  let address = ''
  try {
    signal.throwIfAborted()
    const line = JSON.parse(await Promise.race([ready.promise, failed])) as { address?: string }
    address = line.address ?? ''
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return { pid: child.pid ?? 0, address, failed, stop }

  async function stop(): Promise<void> {
    const force = setTimeout(end, STOP_MS_MAX)
    child.kill('SIGTERM')
    await exited.finally(() => clearTimeout(force))
    signal.removeEventListener('abort', end)
  }
}
