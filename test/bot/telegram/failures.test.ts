import { Writable } from 'node:stream'
import { BotError, type Context, GrammyError } from 'grammy'
import { expect, test } from 'vitest'
import { errorFacts, readFailure } from '../../../src/bot/telegram/errors.ts'
import { createLog } from '../../../src/platform/log.ts'

const MARKER = 'the-users-own-words'

function refusal(description: string, status = 400): GrammyError {
  const answer = { ok: false as const, error_code: status, description }
  return new GrammyError('Call failed', answer, 'sendMessage', { text: MARKER })
}

test.each([
  [`Bad Request: can't parse entities: Unsupported start tag "${MARKER}"`, "can't parse entities"],
  [
    `Bad Request: inline keyboard button URL '${MARKER}' is invalid: Wrong HTTP URL`,
    'inline keyboard button URL',
  ],
  [
    'Bad Request: message is not modified: specified new message content is the same',
    'message is not modified',
  ],
  [`"${MARKER}"`, ''],
])('of the description %j %j is kept', (description, reason) => {
  const error = refusal(description)

  expect(readFailure(error)).toMatchObject({ type: 'refused', reason })
  expect(errorFacts(error).message).toBe(`sendMessage: 400 ${reason}`)
})

test('an answer that says nothing of the call keeps as little', () => {
  const error = refusal(`Internal Server Error: failed at ${MARKER.replaceAll('-', '"')}`, 502)

  expect(readFailure(error)).toEqual({ type: 'unknown', reason: '502 failed at the' })
})

test('of a refused call it names the method and the reason, also where a handler met it', () => {
  const refused = { ok: false as const, error_code: 403, description: 'Forbidden: bot was blocked' }
  const error = new GrammyError('Call failed', refused, 'sendMessage', { text: 'kvass' })

  const line = logged(new BotError(error, {} as Context))

  expect(line).toMatchObject({ type: 'GrammyError', message: 'sendMessage: 403 bot was blocked' })
  expect(JSON.stringify(line)).not.toContain('kvass')
})

test('what JavaScript quotes of a text is not repeated, though its message begins like one of ours', () => {
  const line = logged(catchError(() => BigInt('kvass')))

  expect(line).toMatchObject({ type: 'SyntaxError' })
  expect(JSON.stringify(line)).not.toContain('kvass')
})

function logged(error: unknown): unknown {
  let line = ''
  const output = new Writable({
    write: (piece, _encoding, done) => {
      line += piece
      done()
    },
  })
  createLog('info', output).warn({ ...errorFacts(error) }, 'something failed')
  return JSON.parse(line)
}

function catchError(fail: () => unknown): unknown {
  try {
    return fail()
  } catch (error) {
    return error
  }
}
