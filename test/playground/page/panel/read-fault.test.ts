import { expect, test } from 'vitest'
import {
  type FaultFields,
  readFault,
} from '../../../../src/playground/page/panel/faults/read-fault.ts'

const FIELDS: FaultFields = {
  kind: '429',
  method: ' sendMessage ',
  times: '',
  retryAfterSeconds: '3',
  delayMs: '2000',
  where: '',
}

test('A fault has what its kind needs, and lasts until it is switched off unless it is counted', () => {
  const sendMessage = { method: 'sendMessage' }

  expect(readFault(FIELDS)).toEqual({ kind: '429', ...sendMessage, retry_after: 3 })
  expect(readFault({ ...FIELDS, times: '2', kind: 'slow' })).toEqual({
    ...sendMessage,
    kind: 'slow',
    times: 2,
    delay_ms: 2_000,
  })
  expect(readFault({ ...FIELDS, kind: 'reset' })).toEqual({ kind: 'reset', ...sendMessage })
})

test('What happens in a chat names it', () => {
  const topic = { ...FIELDS, kind: 'topic_deleted' } as const

  expect(readFault({ ...FIELDS, kind: 'blocked', where: '1001' })).toEqual({
    kind: 'blocked',
    method: '',
    chat_id: 1001,
  })
  expect(readFault({ ...topic, where: '-100/7' })).toMatchObject({ chat_id: -100, thread_id: 7 })
  expect(readFault({ ...topic, where: '-100' })).toBeUndefined()
})

test.each(['0', '-1', '1.5', 'many'])(
  'A number that is none switches nothing on: "%s"',
  (given) => {
    expect(readFault({ ...FIELDS, times: given })).toBeUndefined()
    expect(readFault({ ...FIELDS, retryAfterSeconds: given })).toBeUndefined()
  },
)
