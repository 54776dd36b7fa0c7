import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { readBuildInfo } from '../../src/platform/build-info.ts'

const ROOT = join(import.meta.dirname, '../..')
const LAUNCHER = join(ROOT, 'src/kopeck.js')
const SOON = { timeout: 30_000 }

const OLD_NODE = findOldNode()

test('kopeck --version prints, in a line for a report of a fault, which Kopeck runs on what', async () => {
  const { version, commit } = await readBuildInfo()
  const { versions, platform, arch } = process

  expect(await kopeck(['--version'])).toEqual({
    out: `kopeck ${version} (commit ${commit}, Node ${versions.node}, ${platform}-${arch})\n`,
    err: '',
    code: 0,
  })
})

test('kopeck --help lists every subcommand, and npm has a script for each', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))

  const { out, code } = await kopeck(['--help'])

  const listed = [...out.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, name = '']) => name)
  const aliases = Object.entries(scripts).filter(([, line]) => /src\/kopeck/.test(String(line)))
  expect(code).toBe(0)
  expect(listed.sort()).toEqual(aliases.map(([name]) => name).sort())
  for (const name of listed) expect(scripts[name]).toBe(`exec node src/kopeck.js ${name}`)
})

test.each([
  [['acount', 'list'], "Unknown command 'acount' (Did you mean account?): see kopeck --help\n"],
  [['constructor'], "Unknown command 'constructor': see kopeck --help\n"],
])('kopeck %j is refused with one sentence and exit code 2', async (args, err) => {
  expect(await kopeck(args)).toEqual({ out: '', err, code: 2 })
})

test.each([
  ['start', 'Usage: kopeck start'],
  ['demo', 'Usage: kopeck demo'],
])('kopeck %s --help says how it is used, and starts nothing', async (name, usage) => {
  const { out, err, code } = await kopeck([name, '--help'])

  expect([err, code]).toEqual(['', 0])
  expect(out).toContain(usage)
})

test('every subcommand says in one sentence that .env cannot be read, and ends with 2', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'kopeck-env-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await mkdir(join(cwd, '.env'))
  const listed = [...(await kopeck(['--help'], { cwd })).out.matchAll(/^ {2}([a-z-]+) .*$/gm)]

  const ended = new Map<string, unknown>()
  for (const [, name = ''] of listed) ended.set(name, await kopeck([name], { cwd }))

  const says = `Cannot read the file "${join(cwd, '.env')}" (EISDIR)\n`
  const start = `Kopeck cannot start with this configuration:\n  ${says}`
  expect(ended.size).toBeGreaterThan(10)
  for (const [name, end] of ended) {
    expect([name, end]).toEqual([name, { out: '', err: name === 'start' ? start : says, code: 2 }])
  }
}, 60_000)

test('a demo whose clip cannot be kept says so before it begins, and ends with 2', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'kopeck-demo-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const path = join(cwd, 'data')
  await writeFile(path, '')

  expect(await kopeck(['demo'], { cwd, env: { DATA_DIR: path } })).toEqual({
    out: '',
    err: `Cannot use DATA_DIR "${path}": a file, or a link that leads nowhere, is in its way (EEXIST)\n`,
    code: 2,
  })
})

test('a subcommand that npm runs shows what was typed', async () => {
  const { out } = await kopeck(['account', '--help'], {
    env: { npm_lifecycle_event: 'account' },
  })

  expect(out).toMatch(/^Usage: npm run account -- /)
})

test('a subcommand loads its own program, and neither the bot nor the service', async () => {
  const { err } = await kopeck(['account', '--help'], { env: { NODE_DEBUG: 'esm' } })

  // Compared in here: a failure should not print a megabyte.
  expect(err.includes('src/cli/account/account-program.ts')).toBe(true)
  for (const other of ['bot/bot.ts', 'service/service.ts', 'cli/spend/', 'node_modules/grammy/']) {
    expect([other, err.includes(other)]).toEqual([other, false])
  }
})

test('kopeck start with an unknown role says so, and ends with 2', async () => {
  const { err, code } = await kopeck(['start', 'both'])

  expect(err).toContain('unknown role')
  expect(code).toBe(2)
})

test('the launcher becomes the command: it has its process id, takes its signals and ends as it does', async () => {
  const child = startPlayground(process.execPath)
  await expect.poll(child.output, SOON).toContain('docs/playground.md')

  const [line, environment] = await Promise.all(
    ['cmdline', 'environ'].map((file) => readFile(`/proc/${child.process.pid}/${file}`, 'utf8')),
  )
  child.process.kill('SIGTERM')

  expect(line).toMatch(
    /--expose-gc\0--max-semi-space-size=16\0--disable-warning=ExperimentalWarning\0.*src\/cli\/kopeck\.ts\0playground/,
  )
  expect(environment).toContain('NODE_COMPILE_CACHE=')
  expect(environment).toContain('MALLOC_TRIM_THRESHOLD_=131072')
  expect(await child.closed).toEqual([0, null])
})

test.skipIf(OLD_NODE === undefined)(
  'under a Node that is too old the command runs with the installed one, takes its signals and ends as it does',
  async () => {
    const child = startPlayground(OLD_NODE ?? '')
    await expect.poll(child.output, SOON).toContain('docs/playground.md')

    child.process.kill('SIGTERM')

    expect(await child.closed).toEqual([0, null])
    expect(
      (await kopeck(['acount'], { ...(OLD_NODE !== undefined && { node: OLD_NODE }) })).code,
    ).toBe(2)
  },
)

interface KopeckOptions {
  env?: Record<string, string>
  node?: string
  cwd?: string
}

async function kopeck(
  args: readonly string[],
  // A developer's .env is not the tests'.
  { env = {}, node = process.execPath, cwd = tmpdir() }: KopeckOptions = {},
) {
  const child = spawn(node, [LAUNCHER, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    cwd,
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
  const child: ChildProcess = spawn(node, [LAUNCHER, 'playground', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH ?? '', PLAYGROUND_PORT: '0' },
    cwd: tmpdir(),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece) => (output += piece))
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
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
