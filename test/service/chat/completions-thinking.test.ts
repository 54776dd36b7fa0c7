import { expect, test } from 'vitest'
import { estimateTokens } from '../../../src/contract/token-estimate.ts'
import {
  DONE,
  delta,
  event,
  finish,
  sends,
  sendsAndHangs,
  thinks,
} from '../providers/openai-server.ts'
import { readText, type TestService, theHold } from '../service-fixture.ts'
import { askAsOpenAi, CHAT, COST, STREAM, startChatService } from './chat-fixture.ts'

const USAGE = event({
  choices: [],
  usage: {
    prompt_tokens: 12,
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 },
  },
})

const ENDPOINTS = [
  {
    endpoint: '/chats/completions',
    ask: (kopeck: TestService, body: object, init?: RequestInit) => kopeck.chat(body, init),
    // A text is missing in the last chunk alone.
    first: '"delta":{"content":"","reasoning_content":"Хм"}',
  },
  {
    endpoint: '/chat/completions',
    ask: askAsOpenAi,
    first: '"delta":{"role":"assistant","reasoning_content":"Хм"}',
  },
]

test.each(ENDPOINTS)(
  'a thought begins the answer of $endpoint, long before its first word, and the usage has its tokens',
  async ({ ask, first }) => {
    const gate = Promise.withResolvers<void>()
    const { kopeck } = await startChatService(async (response, asked) => {
      await sendsAndHangs(thinks('Хм'))(response, asked)
      await gate.promise
      response.end(`${delta('Да')}${finish()}${USAGE}${DONE}`)
    })

    const body = { ...STREAM, stream_options: { include_usage: true } }
    const reader = readText(await ask(kopeck, body))
    const thought = await reader.next()
    const hold = await theHold(kopeck.pool)
    gate.resolve()
    const rest = await reader.rest()

    expect(thought).toContain(first)
    expect(hold).toMatchObject({ state: 'held', output_at: expect.any(Date) })
    expect(rest).toContain('"delta":{"content":"Да"}')
    expect(rest).toContain('"completion_tokens_details":{"reasoning_tokens":3}')
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'settled', cost: `${COST}` })
  },
)

test('plain answers have the thoughts whole, beside their text', async () => {
  const { kopeck } = await startChatService(
    sends(thinks('Хм'), thinks(', так'), delta('Да'), finish(), USAGE, DONE),
  )

  const [own, openAi] = await Promise.all([kopeck.chat(CHAT), askAsOpenAi(kopeck, CHAT)])

  const thoughts = { content: 'Да', reasoning_content: 'Хм, так' }
  const usage = { completion_tokens_details: { reasoning_tokens: 3 } }
  expect(await own?.json()).toMatchObject({ ...thoughts, usage })
  expect(await openAi?.json()).toMatchObject({ choices: [{ message: thoughts }], usage })
})

test('thoughts without a usage are counted', async () => {
  const { kopeck } = await startChatService(sends(thinks('Хм '.repeat(20)), finish(), DONE))

  await (await kopeck.chat(STREAM)).text()

  const { cost } = await theHold(kopeck.pool)
  expect(Number(cost)).toBeGreaterThan(estimateTokens('Хм '.repeat(20)) * 600)
})
