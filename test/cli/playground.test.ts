import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Api } from 'grammy'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../support/make-folder.ts'

const COMMAND = join(import.meta.dirname, '../../src/cli/kopeck.ts')
const SOON = { timeout: 15_000 }

let dataDir: string

beforeEach(async () => {
  dataDir = await makeFolder()
})

async function start(given: Record<string, string> = {}) {
  const own = { PATH: process.env.PATH ?? '', PLAYGROUND_PORT: '0', DATA_DIR: dataDir }
  const child = spawn(process.execPath, [COMMAND, 'playground'], {
    env: { ...own, ...given },
    // A developer's .env is not the tests'.
    cwd: tmpdir(),
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await expect
    .poll(() => child.exitCode !== null || output.includes('BOT_TOKEN  '), SOON)
    .toBe(true)
  return {
    output: () => output,
    apiRoot: /TELEGRAM_API_ROOT +(\S+)/.exec(output)?.[1] ?? '',
    token: /BOT_TOKEN +(\S+)/.exec(output)?.[1] ?? '',
    exited,
    stop: async () => {
      child.kill('SIGINT')
      return exited
    },
  }
}

test('a bot of one’s own finds its server with what was printed, and the next start goes on from there', async () => {
  const first = await start()
  const api = new Api(first.token, { apiRoot: first.apiRoot })
  const me = await api.getMe()
  await fetch(`${first.apiRoot}/playground/chats/1001/starts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"user_id": 1001}',
  })
  const code = await first.stop()

  const second = await start()
  const updates = await new Api(second.token, { apiRoot: second.apiRoot }).getUpdates()

  expect(me).toMatchObject({ first_name: 'Kopeck', username: 'kopeck_playground_bot' })
  expect([code, second.token]).toEqual([0, first.token])
  expect(updates.map(({ message }) => message?.text ?? '')).toContain('/start')
})

test('init data is signed with BOT_TOKEN only if no other machine reaches the playground', async () => {
  const given = { BOT_TOKEN: '4242:secret-of-a-bot' }
  const local = await start(given)
  const signedHere = await signFor(local)
  await local.stop()

  const shared = await start({ ...given, HOST: '0.0.0.0' })

  expect(signedHere).toEqual([200, expect.stringContaining('hash=')])
  expect(await signFor(shared)).toEqual([
    400,
    '{"detail":"Cannot sign: BOT_TOKEN is given, and HOST is no address of this machine alone"}',
  ])
})

async function signFor({ apiRoot, output }: { apiRoot: string; output: () => string }) {
  const key = /key=(\S+)/.exec(output())?.[1]
  const response = await fetch(`${apiRoot}/playground/chats/1003/web-apps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: '{}',
  })
  return [response.status, await response.text()]
}
