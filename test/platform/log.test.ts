import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { GrammyError } from 'grammy'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createLog, toLoggedError } from '../../src/platform/log.ts'

const MARKER = 'kvass-7f3a'

test.each([
  ['what JSON.parse() could not read', () => JSON.parse(`{"prompt": ${MARKER}}`)],
  ['a URL that is none', () => new URL(`//${MARKER}?token=${MARKER}`)],
  ['a header that is none', () => new Headers({ authorization: `a\n${MARKER}` })],
  ['a number that is none', () => BigInt(MARKER)],
])('an error that quotes %s is logged without it', (_, fail) => {
  const thrown = catchError(fail)

  const line = logLine({ err: thrown })

  expect(JSON.stringify([thrown.message, { ...thrown }])).toContain(MARKER)
  expect(line).not.toContain(MARKER)
  expect(JSON.parse(line).err).toMatchObject({ type: thrown.name, at: expect.any(Array) })
})

test('an error of the database keeps its code, and its message if that quotes no value', () => {
  const duplicate = Object.assign(new pg.DatabaseError('duplicate key "hold_pkey"', 9, 'error'), {
    code: '23505',
    detail: `Key (name)=(${MARKER}) already exists.`,
  })
  const data = Object.assign(new pg.DatabaseError(`invalid input "${MARKER}"`, 9, 'error'), {
    code: '22P02',
  })

  const lines = [logLine({ err: duplicate }), logLine({ err: data })]

  expect(lines.join()).not.toContain(MARKER)
  expect(toLoggedError(duplicate)).toMatchObject({
    code: '23505',
    message: 'duplicate key "hold_pkey"',
  })
  expect(toLoggedError(data)).toEqual({ type: 'error', code: '22P02', at: expect.any(Array) })
})

test('a refusal of Telegram is logged without what was sent, which its reason may quote', () => {
  const description = `Bad Request: can't parse entities: Unsupported start tag "${MARKER}"`
  const refusal = { ok: false as const, error_code: 400, description }
  const thrown = new GrammyError(`Call failed`, refusal, 'sendMessage', { text: MARKER })

  expect(toLoggedError(thrown)).toEqual({ type: 'GrammyError', at: expect.any(Array) })
  expect(logLine({ err: thrown })).not.toContain(MARKER)
})

test('causes are logged by the same rule, as deep as they go within reason', () => {
  const inner = Object.assign(new Error(`read ECONNRESET`), { code: 'ECONNRESET', body: MARKER })
  const middle = new Error(MARKER, { cause: inner })
  const outer = new Error('Cannot read completion: the provider answered 401', { cause: middle })
  const endless = new Error('Cannot end')
  endless.cause = endless

  expect(toLoggedError(outer)).toMatchObject({
    message: 'Cannot read completion: the provider answered 401',
    cause: { type: 'Error', cause: { code: 'ECONNRESET', message: 'read ECONNRESET' } },
  })
  expect(JSON.stringify(toLoggedError(outer))).not.toContain(MARKER)
  expect(JSON.stringify(toLoggedError(endless)).match(/"cause"/g)).toHaveLength(4)
  expect(toLoggedError(MARKER)).toEqual({ type: 'string' })
})

test('fields that are not for a log are hidden wherever somebody puts them', () => {
  const line = logLine({
    prompt: MARKER,
    request: { headers: { authorization: MARKER } },
    taskId: 7,
  })

  expect(line).not.toContain(MARKER)
  expect(JSON.parse(line)).toMatchObject({ taskId: 7, prompt: '[hidden]' })
})

test('a request is logged by its method and the pattern of its route alone', async () => {
  const lines: string[] = []
  await using app = Fastify()
  app.get('/files/:name', async (request) => {
    lines.push(logLine({ req: request }))
  })

  await app.inject(`/files/${MARKER}?token=${MARKER}`)

  const logged = lines.map((line) => JSON.parse(line).req)
  expect(logged).toEqual([{ method: 'GET', route: '/files/:name' }])
})

test.each([
  ['ends by itself', ''],
  ['exits', 'process.exit(0)'],
  ['fails', 'throw new Error()'],
])('a process that %s has written every line, in order', async (_, end) => {
  const child = logProcess(`for (let n = 0; n < 1000; n += 1) log.info({ n }); ${end}`)

  const lines = (await text(child.stdout)).trimEnd().split('\n')

  expect(lines.map((line) => JSON.parse(line).n)).toEqual(
    Array.from({ length: 1000 }, (__, n) => n),
  )
})

test('a reader that has gone away does not make a process fail', async () => {
  const child = logProcess(`process.stdin.resume().on('end', () => log.info('without a reader'))`)
  child.stdout.destroy()
  child.stdin.end()

  const [code] = await once(child, 'exit')

  expect(code).toBe(0)
})

function logLine(fields: object): string {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }).info(fields, 'said')
  return lines.join('')
}

function logProcess(statements: string) {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/platform/log.ts'))
  const program = `import { createLog, openLogOutput } from ${module}
    const log = createLog('info', openLogOutput())
    ${statements}`
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

function catchError(fail: () => unknown): Error {
  try {
    fail()
  } catch (error) {
    return error as Error
  }
  throw new Error('It did not fail')
}
