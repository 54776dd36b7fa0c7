import { pino } from 'pino'
import { expect, test } from 'vitest'
import {
  CallRefusedError,
  ChatUnreachableError,
  SendOutcomeUnknownError,
} from '../../../src/bot/telegram/errors.ts'
import { sayOnce } from '../../../src/bot/telegram/say-once.ts'

function createStage() {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  return { lines, once: { chatId: 5, ifLost: 'maybe not told', log } }
}

test.each([
  new ChatUnreachableError(5, 'bot was blocked'),
  new SendOutcomeUnknownError(5, 'no answer'),
])('what gets lost is logged and not said again: $name', async (error) => {
  const { lines, once } = createStage()
  let said = 0
  const say = async () => {
    said++
    throw error
  }

  await sayOnce(say, once)

  expect(said).toBe(1)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'maybe not told', chatId: 5, code: error.code },
  ])
})

test('what else goes wrong is thrown on', async () => {
  const { lines, once } = createStage()
  const error = new CallRefusedError({ method: 'sendMessage', status: 400, reason: 'odd' })

  await expect(sayOnce(() => Promise.reject(error), once)).rejects.toBe(error)

  expect(lines).toEqual([])
})
