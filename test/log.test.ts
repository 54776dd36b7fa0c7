import { GrammyError } from 'grammy'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createLog, toLoggedError } from '../src/log.ts'

/** What no line may hold. */
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

test('a refusal of Telegram is told with its reason and without what was sent', () => {
  const refusal = { ok: false as const, error_code: 401, description: 'Unauthorized' }
  const thrown = new GrammyError(`Call failed`, refusal, 'sendMessage', { text: MARKER })

  expect(toLoggedError(thrown)).toMatchObject({
    type: 'GrammyError',
    message: 'Call failed (401: Unauthorized)',
  })
  expect(logLine({ err: thrown })).not.toContain(MARKER)
})

test('causes are told by the same rule, as deep as they go within reason', () => {
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

function logLine(fields: object): string {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }).info(fields, 'said')
  return lines.join('')
}

function catchError(fail: () => unknown): Error {
  try {
    fail()
  } catch (error) {
    return error as Error
  }
  throw new Error('It did not fail')
}
