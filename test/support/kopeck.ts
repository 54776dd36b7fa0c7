import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const COMMAND = join(import.meta.dirname, '../../src/cli/kopeck.ts')
const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/kopeck')
const READY_TIMEOUT_MS = 50_000

/** The started program, as an operator's shell has it. */
export interface Kopeck {
  address: string
  pid: number
  lines: readonly string[]
  stop(): Promise<number | null>
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  shiftClock(): void
  /** Sends a signal as a terminal does: to all of its process group. For one started in a group of its own. */
  signalGroup(signal: 'SIGINT' | 'SIGTERM'): void
  exited: Promise<number | null>
}

/** Limits of a bot whose service is not to be waited for. */
export const NO_SERVICE_LIMITS = { SERVICE_LIMITS: '{"chat":100000,"video":100000}' }

/**
 * Runs `kopeck start` and waits until it says that it is ready.
 *
 * @param env All of its environment but the path. Without PORT and PLAYGROUND_PORT it listens on any free ones.
 */
export async function startKopeck(
  env: Record<string, string>,
  roles: readonly string[] = [],
  options: SpawnOptions = {},
): Promise<Kopeck> {
  const child = spawnStart({ PORT: '0', ...env }, roles, options)
  const lines: string[] = []
  const exited = once(child, 'exit').then(([code]): number | null => code)
  const address = await new Promise<string>((done, fail) => {
    const fails = (why: string) => fail(new Error(`${why}:\n${lines.join('\n')}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fails('Kopeck is not ready')
    }, READY_TIMEOUT_MS)
    child.once('exit', (code) => fails(`Kopeck ended with ${code} before it was ready`))
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (!line.includes('"msg":"ready"')) return
        clearTimeout(timer)
        done((JSON.parse(line) as { address: string }).address)
      })
    }
  })
  return {
    address,
    pid: child.pid ?? 0,
    lines,
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    shiftClock: () => void child.kill('SIGUSR2'),
    signalGroup: (signal) => void process.kill(-(child.pid ?? 0), signal),
    exited,
  }
}

/** Runs `kopeck start` until it ends by itself. */
export async function runKopeck(
  env: Record<string, string>,
  roles: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const child = spawnStart(env, roles)
  let output = ''
  child.stdout?.on('data', (piece) => {
    output += piece
  })
  child.stderr?.on('data', (piece) => {
    output += piece
  })
  const [code] = await once(child, 'close')
  return { code, output }
}

interface SpawnOptions {
  /** True for a process group of its own, as a command in a terminal has. */
  ownGroup?: boolean
  command?: string
  cwd?: string
}

function spawnStart(
  env: Record<string, string>,
  roles: readonly string[],
  // A developer's .env is not the tests'.
  { ownGroup = false, command = COMMAND, cwd = import.meta.dirname }: SpawnOptions = {},
): ChildProcess {
  return spawn(process.execPath, [command, 'start', ...roles], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: COMPILED,
      PLAYGROUND_PORT: '0',
      ...env,
    },
    cwd,
    detached: ownGroup,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
