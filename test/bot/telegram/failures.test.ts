import { GrammyError } from 'grammy'
import { expect, test } from 'vitest'
import { errorFacts } from '../../../src/bot/telegram/error-facts.ts'
import { readFailure } from '../../../src/bot/telegram/failures.ts'

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
  [`Bad Request: the name «${MARKER}» is taken`, 'the name'],
  ['Bad Request: RICH_MESSAGE_URL_INVALID', 'RICH_MESSAGE_URL_INVALID'],
  [
    'Bad Request: message is not modified: specified new message content is the same',
    'message is not modified',
  ],
  ["Bad Request: message can't be deleted for everyone", "message can't be deleted for everyone"],
  [
    'Bad Request: wrong file identifier/HTTP URL specified',
    'wrong file identifier/HTTP URL specified',
  ],
  ['Unauthorized', 'Unauthorized'],
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
