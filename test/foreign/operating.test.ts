/** Does what docs/operating.md says, in its order, in a folder and a shell of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasProgram } from '../e2e/has-program.ts'
import { type Block, readBlocks, toPattern } from '../e2e/operating-page.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import {
  DONE,
  delta,
  finish,
  refuses,
  sends,
  startOpenAiServer,
  usage,
} from '../service/providers/openai-server.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = await readFile(join(ROOT, 'docs/operating.md'), 'utf8')
const BLOCK_MS_MAX = 120_000
/** The page asks the service by curl. */
const onPage = test.skipIf(!hasProgram('curl'))

let folder: string
let env: Record<string, string>
let running: ChildProcess | undefined
/** The addresses of the page, and those that are free on this machine. */
const addresses = new Map<string, string>()
const closing: (() => unknown)[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kopeck-operating-'))
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await symlink(join(ROOT, 'src'), join(folder, 'src'))
  await linkModules(join(folder, 'node_modules'))
  const failing = await startOpenAiServer(refuses(503, '{"error": {"message": "overloaded"}}'))
  const working = await startOpenAiServer(sends(delta('Hello!') + finish() + usage(12, 3) + DONE))
  const receiver = await startReceiver()
  const port = await findFreePort()
  addresses.set('127.0.0.1:3000', `127.0.0.1:${port}`)
  addresses.set('127.0.0.1:9001', new URL(failing.baseUrl).host)
  addresses.set('127.0.0.1:9002', new URL(working.baseUrl).host)
  addresses.set('127.0.0.1:8080', `127.0.0.1:${(receiver.address() as AddressInfo).port}`)
  addresses.set('postgresql://kopeck:password@db.lan:5432/kopeck', await createTestDatabase())
  env = { PATH: process.env.PATH ?? '', HOME: folder, PORT: port }
  await writeFile(join(folder, 'exported.sh'), '')
  closing.push(
    () => failing[Symbol.asyncDispose](),
    () => working[Symbol.asyncDispose](),
    () => receiver.close(),
    () => rm(folder, { recursive: true }),
  )
})

afterAll(async () => {
  await stopRunning()
  for (const close of closing) await close()
})

const blocks = readBlocks(PAGE).map((block, index) => ({ ...block, index }))

// Promise: A command of docs/operating.md no longer does what the page says
test('every command of the page is run, or says why it is not', () => {
  const commands = blocks.filter(({ language }) => language === 'sh')

  expect(commands.length).toBeGreaterThan(20)
  expect(commands.filter(({ notRun }) => notRun !== undefined)).toHaveLength(2)
  expect(blocks.filter(({ file, language }) => file === undefined && language !== 'sh')).toEqual([])
})

// Promise: A command of docs/operating.md no longer does what the page says
onPage.for(blocks)('$section, block $index', { timeout: BLOCK_MS_MAX + 10_000 }, async (block) => {
  const text = toThisMachine(block.text)
  if (block.file !== undefined) return await writeFile(join(folder, block.file), text)
  if (block.notRun !== undefined) return
  if (block.keepsRunning) return await keepRunning(text)

  const { status, output } = await runCommands(text)

  expect(status, output).toBe(block.exitStatus)
  expectShown(block, output)
})

/** Has the installed packages in a folder, and the client of another that a customer has. */
async function linkModules(target: string): Promise<void> {
  await mkdir(target)
  const modules = join(ROOT, 'node_modules')
  for (const name of await readdir(modules)) await symlink(join(modules, name), join(target, name))
  await symlink(join(import.meta.dirname, 'node_modules/openai'), join(target, 'openai'))
}

function expectShown({ prints }: Block, output: string): void {
  if (prints !== undefined) expect(output).toMatch(toPattern(toThisMachine(prints)))
}

/** Stops what the page started before, as Ctrl-C does, and starts this. */
async function keepRunning(command: string): Promise<void> {
  await stopRunning()
  running = spawn('bash', ['-c', command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  for (const stream of [running.stdout, running.stderr])
    stream?.on('data', (s) => printed.push(`${s}`))
  const isReady = async () => {
    const { exitCode } = running as ChildProcess
    if (exitCode !== null) throw new Error(`It ended with ${exitCode}:\n${printed.join('')}`)
    const health = await fetch(toThisMachine('http://127.0.0.1:3000/healthz')).catch(
      () => undefined,
    )
    return health?.status
  }
  await expect.poll(isReady, { timeout: BLOCK_MS_MAX, interval: 200 }).toBe(200)
}

async function stopRunning(): Promise<void> {
  if (running?.pid === undefined || running.exitCode !== null) return
  // npm may end before what it started does, which has the port until then, and the other end of the pipes.
  const ended = once(running, 'close')
  process.kill(-running.pid, 'SIGINT')
  await ended
}

function toThisMachine(text: string): string {
  return [...addresses].reduce((written, [from, to]) => written.replaceAll(from, to), text)
}

/** Takes callbacks, and all else that is sent. */
async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Runs commands as one shell does: what they export is there for those after them. */
async function runCommands(commands: string): Promise<{ status: number; output: string }> {
  const script = `. ./exported.sh; set -eo pipefail\n${commands}\nexport -p > exported.sh`
  const child = spawn('bash', ['-c', `{ ${script}\n} 2>&1`], {
    cwd: folder,
    env,
    timeout: BLOCK_MS_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [status]] = await Promise.all([readAll(child.stdout), once(child, 'close')])
  return { status, output }
}
