import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPlayground } from '../../playground/open-playground.ts'
import { OPENAI, startUpstream } from '../../service/config/openai/upstreams.ts'
import { hasProgram } from '../../support/has-program.ts'
import { makeFolder } from '../../support/make-folder.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
/** A test that needs a program to open a terminal: util-linux has it. */
const onTerminal = test.skipIf(!hasProgram('script'))
const SOON = { timeout: 30_000 }
const CTRL_C = '\u0003'

let folder: string

beforeEach(async () => {
  folder = await makeFolder()
})

test('without a terminal it says in one sentence that it needs one, and ends with status 2', async () => {
  const { shown, child } = run(process.execPath, [COMMAND, 'setup'])

  const [code] = await once(child, 'close')

  expect(code).toBe(2)
  expect(shown()).toBe(
    'kopeck setup needs a terminal for its questions; without one, write .env by hand as .env.example shows\n',
  )
})

onTerminal('a token and a key are tried and written but not shown', async () => {
  const { playground, apiRoot } = await openPlayground()
  await using upstream = await startUpstream(OPENAI)
  const { answer, shown, child } = openTerminal({ TELEGRAM_API_ROOT: apiRoot })

  await answer('Token (', playground.token)
  await answer('Key (', 'sk-proj-local')
  await answer('Address', upstream.baseUrl)
  await answer('Models (', '')
  await answer('Telegram id (', '7')
  await answer('Write it?', '')

  const [code] = await once(child, 'close')
  const path = join(folder, '.env')
  expect(code).toBe(0)
  expect(await readFile(path, 'utf8')).toBe(
    `BOT_TOKEN=${playground.token}\nOPENAI_API_KEY=sk-proj-local\nOPENAI_BASE_URL=${upstream.baseUrl}\nADMIN_IDS=7\n`,
  )
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(shown()).toContain('Start it:')
  expect(shown()).toContain(upstream.baseUrl)
  expect(shown()).not.toContain(playground.token)
  expect(shown()).not.toContain('sk-proj-local')
})

onTerminal('Ctrl-C ends setup while it waits for a server', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const asked = once(silent, 'request')
  const { answer, shown, type, child } = openTerminal()
  await answer('Token (', '')
  await answer('Key (', 'sk-proj-local')
  await answer('Address', `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`)
  await asked

  type(CTRL_C)

  expect(await once(child, 'close')).toEqual([130, null])
  expect(shown()).toContain('Nothing was written.')
  expect(await readdir(folder)).toEqual([])
})

function openTerminal(env: Record<string, string> = {}) {
  const command = `exec ${process.execPath} ${COMMAND} setup`
  const own = { TERM: 'xterm', SHELL: '/bin/sh', ...env }
  const program = run('script', ['--quiet', '--return', '--command', command, '/dev/null'], own)
  const { shown, child } = program
  const type = (text: string) => void child.stdin.write(text)
  let from = 0
  return { ...program, type, answer }

  async function answer(question: string, text: string): Promise<void> {
    await expect.poll(() => shown().indexOf(question, from), SOON).toBeGreaterThanOrEqual(0)
    from = shown().length
    type(`${text}\r`)
  }
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } })
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      shown += piece
    })
  }
  onTestFinished(() => void child.kill('SIGKILL'))
  return { shown: () => shown, child }
}
