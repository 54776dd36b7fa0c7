import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Result } from '../../../src/cli/conformance/conformance.ts'
import { createConformanceProgram } from '../../../src/cli/conformance/conformance-program.ts'
import { RULES } from '../../../src/cli/conformance/rules/rules.ts'
import { lockRun } from '../../../src/cli/conformance/run-lock.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Tampering } from './sound-callbacks.ts'
import { KEY, startSoundService } from './sound-service.ts'

afterEach(() => {
  process.exitCode = undefined
})

/** Types the command for a sound service that was tampered with. */
async function type(flags: string[], tampering: Tampering = {}, env: NodeJS.ProcessEnv = {}) {
  const { baseUrl } = await startSoundService(() => systemClock, tampering)
  const printed: string[] = []
  const program = createConformanceProgram({
    use: 'kopeck conformance',
    env,
    print: (text) => printed.push(text),
  })
  const key = env.SERVICE_API_KEY === undefined ? [KEY] : []
  await program.parseAsync([baseUrl, ...key, ...flags], { from: 'user' })
  const exitCode = process.exitCode
  return { text: printed.join('\n'), exitCode }
}

test('a line tells of each rule as it is known, and the end what is open, unseen and counted', async () => {
  const { text, exitCode } = await type(['--free'])

  expect(exitCode).toBeUndefined()
  expect(text).toMatch(/^passed {4}task-unknown +404: no such task$/m)
  expect(text).toMatch(/^ {2}.*stream-done, .*: it costs money: --free$/m)
  expect(text).toMatch(/^an unknown task +404$/m)
  expect(text).toMatch(/^ {2}callback-names: it needs a name: --private-name$/m)
  expect(text).toMatch(/^\d+ passed, 0 failed, \d+ not seen; \d+ requests, 0 RUB, \d+ s\.$/m)
  expect(text).not.toContain(KEY)
})

test('a rule that is broken makes the exit status 1, and JSON says which', async () => {
  const { text, exitCode } = await type(['--free', '--json'], { prefix: '/v1' })

  expect(exitCode).toBe(1)
  const { results } = JSON.parse(text) as { results: Result[] }
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([
    {
      rule: 'base-version',
      outcome: 'failed',
      asked: 'GET /chats/models below the base URL',
      seen: 'the base URL does not end in /api/v1',
      requests: [{ method: 'GET', path: '/chats/models', status: 200, id: null }],
    },
  ])
})

test('a rule that was not seen makes the exit status 1 where --strict asks for it', async () => {
  const { exitCode } = await type(['--free', '--strict'])

  expect(exitCode).toBe(1)
})

test('JUnit XML has each rule as a test case', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'kopeck-junit-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const path = join(dir, 'junit.xml')
  await type(['--free', '--junit', path], { prefix: '/v1' })

  const xml = await readFile(path, 'utf8')
  expect(xml).toContain(`tests="${RULES.length}" failures="1"`)
  expect(xml).toMatch(/name="base-version"><failure message="the base URL does not end/)
  expect(xml).toMatch(/name="chat-cost"><skipped message="it costs money: --free"\/>/)
})

test('two runs look at one account one after the other', async () => {
  const { baseUrl } = await startSoundService(() => systemClock)
  const unlock = await lockRun(baseUrl, KEY)
  onTestFinished(unlock)

  await expect(lockRun(baseUrl, KEY)).rejects.toThrow(
    `Another run looks at this account (process ${process.pid})`,
  )
  await expect(lockRun(baseUrl, 'another key').then((end) => end())).resolves.toBeUndefined()
})

test('the key may come from the environment, where no list of processes shows it', async () => {
  const { exitCode } = await type(['--free'], {}, { SERVICE_API_KEY: KEY })

  expect(exitCode).toBeUndefined()
})

// Promise: A paid look is begun by a script
test('a run that costs money does not begin where no person can be asked', async () => {
  await expect(type([])).rejects.toThrow('It costs money: say --yes, or --free')
})

test.each([
  [['--callback-url', 'here'], '--callback-url should be an http or https URL'],
  [['--callback-url', 'https://a.example/'], '--callback-listen should say'],
  [['--creation-body', 'x'], '--creation-body should be a JSON object'],
  [['--provoke', 'slow=alpha'], '--provoke should be demo, or KIND=NAME with a KIND of refused,'],
  [['--most', 'much'], '--most should be roubles'],
  [['--settle', 'soon'], '--settle should be seconds'],
])('%j is refused in one sentence', async (flags, sentence) => {
  await expect(type(flags)).rejects.toThrow(sentence)
})

// Promise: A service quotes the key in an answer
test('a service that does not let the key in is reported in one sentence, without the key', async () => {
  const refusing: Tampering = {
    answer: (_asked, reply) => ({ ...reply, status: 401, body: { detail: `not ${KEY}` } }),
  }

  await expect(type(['--free'], refusing)).rejects.toThrow(
    'Cannot list the models of the service: 401: not [key]',
  )
})

// Promise: A service that is looked at is busy for a day, streams without an end, or sends a page instead of an answer
test('a server that is no service of the interface is reported in one sentence', async () => {
  const page: Tampering = {
    answer: (_asked, reply) => ({
      ...reply,
      status: 200,
      body: undefined,
      contentType: 'text/html',
    }),
  }

  await expect(type(['--free'], page)).rejects.toThrow(
    'Cannot list the models of the service: it answered text/html',
  )
})

test('a service that is not there is reported in one sentence', async () => {
  const program = createConformanceProgram({ use: 'kopeck conformance', env: {}, print: () => {} })
  const typed = program.parseAsync(['http://127.0.0.1:1/api/v1', KEY], { from: 'user' })

  await expect(typed).rejects.toThrow('Cannot look at the service: the service was not reached')
})
