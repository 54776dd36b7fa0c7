import { expect, test } from 'vitest'
import {
  afterBreak,
  withMessage,
  withOlder,
  withoutMessages,
} from '../../../src/playground/page/state/history.ts'
import type { HistoryAnswer, WireMessage } from '../../../src/playground/web/api.ts'

test('messages stand by id, however they come, and an edit replaces the older version', () => {
  const history = [
    sent(3, 'third'),
    sent(1, 'first'),
    sent(2, 'second'),
    sent(3, 'third, edited'),
  ].reduce(withMessage, page([]))

  expect(textsOf(withoutMessages(history, [1]))).toEqual(['second', 'third, edited'])
})

test('older messages that were loaded stay over a break, if nothing is missing between', () => {
  const last = page([sent(3, 'c'), sent(4, 'd')], true)
  const loaded = withOlder(last, page([sent(1, 'a'), sent(2, 'b'), sent(3, 'c')]))

  const after = afterBreak(loaded, page([sent(3, 'c'), sent(4, 'd, edited'), sent(5, 'e')], true))

  expect(textsOf(after)).toEqual(['a', 'b', 'c', 'd, edited', 'e'])
  expect(after.has_more).toBe(false)
})

test('after a break that missed more than a page, only the last page shows', () => {
  const last = page([sent(60, 'y'), sent(61, 'z')], true)

  expect(afterBreak(page([sent(1, 'a'), sent(2, 'b')]), last)).toEqual(last)
})

function page(messages: WireMessage[], has_more = false): HistoryAnswer {
  return { messages, has_more }
}

function sent(id: number, text: string, answeredId?: number): WireMessage {
  const answered = answeredId === undefined ? undefined : sent(answeredId, 'as it was').message
  const chat = { id: 1, type: 'private', first_name: 'Ada' } as const
  const message = { message_id: id, date: id, chat, text, reply_to_message: answered }
  return { message: message as WireMessage['message'] }
}

function textsOf({ messages }: HistoryAnswer): (string | undefined)[] {
  return messages.map(({ message }) => message.text)
}
