import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)
/** Node tells of types that it is new to them. */
export const TYPESCRIPT = ['--disable-warning=ExperimentalWarning']

const ROOT = join(import.meta.dirname, '../../..')

const PARTS = [
  'src',
  'prisma',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
]

/** Makes a copy of this clone that is not built yet. It is on the same disk: the bytes of equal files are shared. */
export async function copyClone(): Promise<{ root: string } & AsyncDisposable> {
  await mkdir(join(ROOT, 'build'), { recursive: true })
  const root = await mkdtemp(join(ROOT, 'build/clone-'))
  await run('cp', ['-al', ...PARTS.map((name) => join(ROOT, name)), root])
  // Beside the packages, other tests write what they keep.
  const kept = /^\.(?:cache|vite.*)$/
  const modules = (await readdir(join(ROOT, 'node_modules'))).filter((name) => !kept.test(name))
  await mkdir(join(root, 'node_modules'))
  const paths = modules.map((name) => join(ROOT, 'node_modules', name))
  await run('cp', ['-al', ...paths, join(root, 'node_modules')])
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

/** Does in a clone what ends an installation. */
export async function install(clone: string): Promise<void> {
  await runIn(clone, [...TYPESCRIPT, 'src/build/install.ts'])
}

/** Has Node run a program of a folder there. @returns What it wrote; rejects with that, too. */
export async function runIn(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
) {
  return await run(process.execPath, args, { cwd, env: { PATH: process.env.PATH ?? '', ...env } })
}

/** Starts `kopeck start` from a folder and waits until it is ready. @returns The root of its HTTP server, and its lines. */
export async function startFrom(
  launcher: string,
): Promise<{ address: string; lines: readonly string[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-installed-'))
  // A root's installation copies PostgreSQL's programs there, for the user that runs the server.
  const temporary = await mkdtemp(join(tmpdir(), 'kopeck-installed-programs-'))
  await chmod(temporary, 0o711)
  const own = { PORT: '0', PLAYGROUND_PORT: '0', DATA_DIR: dataDir, TMPDIR: temporary }
  const child: ChildProcess = spawn(process.execPath, [launcher, 'start'], {
    cwd: dataDir,
    env: { PATH: process.env.PATH ?? '', ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
    await rm(dataDir, { recursive: true, force: true })
    await rm(temporary, { recursive: true })
  })
  const lines: string[] = []
  return await new Promise((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (!line.includes('"msg":"ready"')) return
        done({ address: (JSON.parse(line) as { address: string }).address, lines })
      })
    }
    void closed.then(() => fail(new Error(`It ended before it was ready:\n${lines.join('\n')}`)))
  })
}
