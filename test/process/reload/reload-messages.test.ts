import { expect, test } from 'vitest'
import {
  readReloadAnswer,
  readRequest,
  writeAnswer,
} from '../../../src/process/reload/reload-messages.ts'

const PROCESS = { request: 'r', instance: 4, host: 'box', pid: 71 }

test('an answer with more problems than a notification holds has the first of them and how many there are', () => {
  const problems = Array.from({ length: 500 }, (_, n) => `chat.models[${n}]: ${'я'.repeat(400)}`)

  const payload = writeAnswer({ ...PROCESS, reloaded: { outcome: 'refused', problems } })

  expect(Buffer.byteLength(payload)).toBeLessThan(8000)
  expect(readReloadAnswer(payload)?.reloaded).toMatchObject({
    problems: expect.arrayContaining([
      expect.stringContaining('chat.models[0]: '),
      'and 494 more: the log of the process has them all',
    ]),
  })
})

test('what others notify on our channels is passed over', () => {
  expect([readRequest('{'), readRequest('{}'), readReloadAnswer('[]')]).toEqual(
    Array.from({ length: 3 }, () => undefined),
  )
})
