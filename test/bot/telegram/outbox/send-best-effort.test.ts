import { pino } from 'pino'
import { expect, test } from 'vitest'
import {
  CallRefusedError,
  ChatUnreachableError,
  SendOutcomeUnknownError,
} from '../../../../src/bot/telegram/errors.ts'
import { sendBestEffort } from '../../../../src/bot/telegram/outbox/send-best-effort.ts'

function createMediaSetup() {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  return { lines, once: { chatId: 5, ifLost: 'maybe not shown', log } }
}

test.each([
  new ChatUnreachableError(5, 'bot was blocked'),
  new SendOutcomeUnknownError(5, 'no answer'),
])('what gets lost is logged and not sent again: $name', async (error) => {
  const { lines, once } = createMediaSetup()
  let sentCount = 0
  const say = async () => {
    sentCount++
    throw error
  }

  await sendBestEffort(say, once)

  expect(sentCount).toBe(1)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'maybe not shown', chatId: 5, code: error.code },
  ])
})

test('what else goes wrong is thrown on', async () => {
  const { lines, once } = createMediaSetup()
  const error = new CallRefusedError({ method: 'sendMessage', status: 400, reason: 'odd' })

  await expect(sendBestEffort(() => Promise.reject(error), once)).rejects.toBe(error)

  expect(lines).toEqual([])
})
