import { expect, test } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { createPrettyOutput } from '../../src/process/pretty-output.ts'

const MARKER = 'kvass-7f3a'

test('a line for people has its time, its level, what happened and what it is about', () => {
  const written = write((log) =>
    log.info({ address: 'http://127.0.0.1:3000', roles: ['bot', 'service'], epoch: 7 }, 'ready'),
  )

  expect(written).toMatch(
    /^\d\d:\d\d:\d\d INFO: ready {2}address=http:\/\/127\.0\.0\.1:3000 {2}roles=bot,service {2}epoch=7\n$/,
  )
})

test('a request is shown with its route first and its id last', () => {
  const written = write((log) =>
    log
      .child({ reqId: 'r-1' })
      .info(
        { method: 'GET', route: '/api/v1/balance', status: 200, accountId: undefined },
        'ended',
      ),
  )

  expect(written).toContain(
    'INFO: ended  method=GET  route=/api/v1/balance  status=200  reqId=r-1\n',
  )
})

test('a field that does not belong in the log is hidden in a line for people as well', () => {
  const written = write((log) =>
    log.warn(
      { prompt: MARKER, request: { headers: { authorization: MARKER } }, taskId: 7 },
      'asked',
    ),
  )

  expect(written).not.toContain(MARKER)
  expect(written).toContain('prompt=[hidden]')
  expect(written).toContain('taskId=7')
})

test('an error is shown in words, with its lines of code below it and its cause after them', () => {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', body: MARKER })
  const quoting = new TypeError(`"${MARKER}" is none`)
  const written = write((log) => {
    log.error({ err: new Error('Cannot go on', { cause }) }, 'failed')
    log.error({ err: quoting }, 'failed')
  })

  expect(written).toMatch(/ERROR: failed\n {4}Error: Cannot go on\n {6}at .*\n/)
  expect(written).toMatch(/\n {4}caused by Error ECONNRESET: read ECONNRESET\n {6}at /)
  expect(written).toMatch(/\n {4}TypeError\n/)
  expect(written).not.toContain(MARKER)
})

test('the problems of a config stand one below the other', () => {
  const problems = ['chat.models[0].id: a model id', 'chat: an object']

  expect(write((log) => log.error({ problems }, 'refused'))).toMatch(
    / ERROR: refused\n {4}chat\.models\[0\]\.id: a model id\n {4}chat: an object\n$/,
  )
})

// Promise: A text of a provider or a customer would command the terminal of who reads the log
test('a text of somebody else commands no terminal', () => {
  const foreign = `a\u001b[2J\u009b31m\nb\u202e`

  const written = write((log) => log.warn({ foreign, list: [foreign] }, foreign))

  expect(written.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(written).toContain(String.raw`a\u001b[2J\u009b31m`)
})

test('a long list is shown by its ends', () => {
  const applied = Array.from({ length: 60 }, (_, n) => `m${n}`)

  expect(write((log) => log.info({ applied }, 'migrated'))).toContain('applied=m0,…,m59 (60)\n')
})

function write(use: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line) }
  use(createLog('info', createPrettyOutput(output, { colorize: false })))
  return lines.join('')
}
