import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKopeck } from '../support/kopeck.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-mistakes-'))
})
afterAll(() => rm(dataDir, { recursive: true }))

test.each<[string, Record<string, string>, string]>([
  [
    'a token that is none',
    { BOT_TOKEN: 'hunter2' },
    'BOT_TOKEN: should be a bot token as BotFather gives it, 123456:ABC…',
  ],
  [
    'a database that does not answer',
    { DATABASE_URL: 'postgresql://kopeck:hunter2@127.0.0.1:1/kopeck' },
    'cannot connect to 127.0.0.1:1',
  ],
  [
    'a SERVICE_CONFIG that is not there',
    { SERVICE_CONFIG: '/nowhere.json' },
    'cannot read the file "/nowhere.json" (ENOENT)',
  ],
])('a start with %s says so in one sentence and ends with 2', async (_, env, sentence) => {
  const { code, output } = await runKopeck({ PORT: '0', DATA_DIR: dataDir, ...env })

  expect(code).toBe(2)
  expect(output).toContain(sentence)
  expect(output.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  expect(output).not.toContain('hunter2')
})
