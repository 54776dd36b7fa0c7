import { expect, test } from 'vitest'
import { refuses } from '../providers/openai-server.ts'
import type { TestService } from '../service-fixture.ts'
import { askAsOpenAi, CHAT, CREDIT, STREAM, startChatService } from './chat-fixture.ts'

const TOO_LONG = {
  error: { code: 'context_length_exceeded', message: 'The maximum context length is 8192 tokens.' },
}

/** Asks both endpoints for a plain and a streamed answer. */
async function askAll(kopeck: TestService) {
  const bodies = [CHAT, STREAM]
  const asked = [
    ...bodies.map((body) => () => kopeck.chat(body)),
    ...bodies.map((body) => () => askAsOpenAi(kopeck, body)),
  ]
  const answers: { status: number; text: string }[] = []
  for (const ask of asked) {
    const answer = await ask()
    answers.push({ status: answer.status, text: await answer.text() })
  }
  return answers
}

test('a conversation that is too long for the model has a code, and nothing is charged', async () => {
  const { kopeck } = await startChatService(refuses(400, JSON.stringify(TOO_LONG)))

  const [plain, stream, openAiPlain, openAiStream] = await askAll(kopeck)

  for (const answer of [plain, stream]) {
    expect(answer?.status).toBe(502)
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      detail: expect.stringContaining('8192'),
      code: 'context_length_exceeded',
    })
  }
  for (const answer of [openAiPlain, openAiStream]) {
    expect(answer?.status).toBe(400)
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      error: { code: 'context_length_exceeded' },
    })
  }
  expect(await kopeck.balance()).toBe(CREDIT)
})
