import { expect, onTestFinished, test, vi } from 'vitest'
import { createOpenAiChatProvider } from '../../../../src/service/providers/openai/chat.ts'
import { sendJson, startServer } from '../../../platform/http/local-server.ts'
import { answerPlain } from '../collect-events.ts'
import { REQUEST, UNABORTED } from './chat-fixture.ts'

const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
/** Node would say by itself how long it keeps a connection, and be taken at its word. */
const SAYS_NOT_HOW_LONG = { connection: 'keep-alive' }

test('the connection of one answer is there for the next, 45 s later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { baseUrl, requests, connections } = await startServer((response) =>
    sendJson(response, 200, ANSWER, SAYS_NOT_HOW_LONG),
  )
  const provider = createOpenAiChatProvider({ baseUrl, model: 'm' })

  await answerPlain(provider, REQUEST, UNABORTED)
  await vi.advanceTimersByTimeAsync(45_000)
  await answerPlain(provider, REQUEST, UNABORTED)

  expect(requests).toHaveLength(2)
  expect(connections()).toBe(1)
})
