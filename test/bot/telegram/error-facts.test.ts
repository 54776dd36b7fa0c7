import { Writable } from 'node:stream'
import { BotError, type Context, GrammyError } from 'grammy'
import { expect, test } from 'vitest'
import { errorFacts } from '../../../src/bot/telegram/error-facts.ts'
import { createLog } from '../../../src/platform/log.ts'

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
