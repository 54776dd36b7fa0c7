import { afterEach, expect, test } from 'vitest'
import { createConformanceProgram } from '../../../src/cli/conformance/conformance-program.ts'
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

test('a table shows each rule, what is open and how many passed', async () => {
  const { text, exitCode } = await type(['--free'])

  expect(exitCode).toBeUndefined()
  expect(text).toMatch(/^RULE +OUTCOME +ASKED +SEEN$/m)
  expect(text).toMatch(/^stream-done +skipped +nothing +it costs money: --free$/m)
  expect(text).toMatch(/^an unknown task +404$/m)
  expect(text).toMatch(/^\d+ passed, 0 failed, \d+ not seen, \d+ skipped\.$/m)
  expect(text).not.toContain(KEY)
})

test('a rule that is broken makes the exit status 1, and JSON says which', async () => {
  const { text, exitCode } = await type(['--free', '--json'], { prefix: '/v1' })

  expect(exitCode).toBe(1)
  expect(JSON.parse(text).results[0]).toEqual({
    rule: 'base-version',
    outcome: 'failed',
    asked: 'GET /chats/models below the base URL',
    seen: 'the base URL does not end in /api/v1',
  })
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
