import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { runKopeck } from '../../src/cli/run-kopeck.ts'
import { readBuildInfo } from '../../src/platform/installation.ts'

const ROOT = join(import.meta.dirname, '../..')
const LAUNCHER = join(ROOT, 'src/kopeck.js')
const SOON = { timeout: 30_000 }

const OLD_NODE = findOldNode()

afterEach(() => vi.unstubAllEnvs())

test('kopeck --version prints, in a line for a report of a fault, which Kopeck runs on what', async () => {
  const { version, commit } = await readBuildInfo()
  const { versions, platform, arch } = process

  expect(await runHere(['--version'])).toEqual({
    out: `kopeck ${version} (commit ${commit}, Node ${versions.node}, ${platform}-${arch})\n`,
    err: '',
    code: undefined,
  })
})

test('kopeck --help lists every subcommand, and npm has a script for each', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))

  const listed = await listSubcommands()

  const aliases = Object.entries(scripts).filter(([, line]) => /src\/kopeck/.test(String(line)))
  expect(listed.sort()).toEqual(aliases.map(([name]) => name).sort())
  for (const name of listed) expect(scripts[name]).toBe(`exec node src/kopeck.js ${name}`)
})

test.each([
  [['acount', 'list'], "Unknown command 'acount' (Did you mean account?): see kopeck --help\n"],
  [['constructor'], "Unknown command 'constructor': see kopeck --help\n"],
])('kopeck %j is refused with one sentence and exit code 2', async (args, err) => {
  expect(await runHere(args)).toEqual({ out: '', err, code: 2 })
})

test('kopeck NAME --help shows the usage of every subcommand, and starts nothing', async () => {
  const listed = await listSubcommands()

  expect(listed.length).toBeGreaterThan(8)
  for (const name of listed) {
    const { out, err } = await runHere([name, '--help'])
    expect([err, out.startsWith(`Usage: kopeck ${name}`)]).toEqual(['', true])
  }
})

test('a subcommand that npm runs shows what was typed, and loads neither the bot nor the service', async () => {
  const { out, err } = await kopeck(['account', '--help'], {
    env: { npm_lifecycle_event: 'account', NODE_DEBUG: 'esm' },
  })

  expect(out).toMatch(/^Usage: npm run account -- /)
  // Compared in here: a failure should not print a megabyte.
  expect(err.includes('src/cli/account/account.ts')).toBe(true)
  for (const other of ['bot/bot.ts', 'service/service.ts', 'cli/spend/', 'node_modules/grammy/']) {
    expect([other, err.includes(other)]).toEqual([other, false])
  }
})

test('the launcher becomes the command: it has its process id, takes its signals and ends as it does', async () => {
  const child = startPlayground(process.execPath)
  await expect.poll(child.output, SOON).toContain('BOT_TOKEN')

  const [line, environment] = await Promise.all(
    ['cmdline', 'environ'].map((file) => readFile(`/proc/${child.process.pid}/${file}`, 'utf8')),
  )
  child.process.kill('SIGTERM')

  expect(line).toMatch(
    /--expose-gc\0--max-semi-space-size=\d+\0--disable-warning=ExperimentalWarning\0.*src\/cli\/kopeck\.ts\0playground/,
  )
  expect(environment).toContain('NODE_COMPILE_CACHE=')
  expect(environment).toContain('MALLOC_TRIM_THRESHOLD_=131072')
  expect(await child.closed).toEqual([0, null])
})

test.skipIf(OLD_NODE === undefined)(
  'under a Node that is too old the command runs with the installed one, takes its signals and ends as it does',
  async () => {
    const child = startPlayground(OLD_NODE ?? '')
    await expect.poll(child.output, SOON).toContain('BOT_TOKEN')

    child.process.kill('SIGTERM')

    expect(await child.closed).toEqual([0, null])
    expect(
      (await kopeck(['acount'], { ...(OLD_NODE !== undefined && { node: OLD_NODE }) })).code,
    ).toBe(2)
  },
)

async function listSubcommands(): Promise<string[]> {
  const { out } = await runHere(['--help'])
  return [...out.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, name = '']) => name)
}

/** Runs a subcommand in this process, in another folder: a developer's .env is not the tests'. */
async function runHere([name = '', ...args]: readonly string[]) {
  const written = { out: '', err: '' }
  const write = (to: 'out' | 'err') => (piece: unknown) => {
    written[to] += piece
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(write('err')),
    vi.spyOn(process.stdout, 'on').mockReturnThis(),
  ]
  const home = process.cwd()
  process.chdir(tmpdir())
  try {
    await runKopeck(name, args)
    return { ...written, code: process.exitCode }
  } finally {
    process.chdir(home)
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}

interface KopeckOptions {
  env?: Record<string, string>
  node?: string
}

async function kopeck(
  args: readonly string[],
  // A developer's .env is not the tests'.
  { env = {}, node = process.execPath }: KopeckOptions = {},
) {
  const child = spawn(node, [LAUNCHER, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    cwd: tmpdir(),
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, code }
}

function startPlayground(node: string) {
  const dataDir = join(tmpdir(), `kopeck-launcher-${process.pid}`)
  const child: ChildProcess = spawn(node, [LAUNCHER, 'playground'], {
    env: { PATH: process.env.PATH ?? '', PLAYGROUND_PORT: '0', DATA_DIR: dataDir },
    cwd: tmpdir(),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece) => (output += piece))
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
    await rm(dataDir, { recursive: true, force: true })
  })
  return { process: child, output: () => output, closed }
}

function findOldNode(): string | undefined {
  for (const path of ['/usr/bin/node', '/usr/local/bin/node']) {
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8' })
      if (Number.parseInt(version.slice(1), 10) < 22) return path
    } catch {
      // There is none.
    }
  }
  return undefined
}
