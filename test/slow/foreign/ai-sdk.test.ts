import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, streamText } from 'ai'
import { expect, test } from 'vitest'
import { CREDIT, startChatService } from '../../service/chat/chat-fixture.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  sendsAndResets,
  usage,
} from '../../service/providers/openai-server.ts'

const WHOLE = sends(delta('При'), delta('вет'), finish(), usage(12, 5), DONE)

async function start(responder: Responder = WHOLE) {
  const { kopeck } = await startChatService(responder)
  const provide = createOpenAICompatible({
    name: 'kopeck',
    baseURL: `${kopeck.origin}/api/v1`,
    apiKey: kopeck.apiKey,
    includeUsage: true,
  })
  return { kopeck, provide }
}

test('AI SDK: generateText() gets the text and its usage, and the account has paid it', async () => {
  const { kopeck, provide } = await start()

  const {
    text,
    usage: reported,
    finishReason,
  } = await generateText({
    model: provide('alpha'),
    system: 'Be brief.',
    prompt: 'Привет',
    maxOutputTokens: 100,
  })

  expect([text, finishReason]).toEqual(['Привет', 'stop'])
  expect(reported).toMatchObject({ inputTokens: 12, outputTokens: 5, totalTokens: 17 })
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test('AI SDK: streamText() gets each delta, and the usage at the end', async () => {
  const { kopeck, provide } = await start()

  const answer = streamText({ model: provide('alpha'), prompt: 'Привет' })
  const texts = await Array.fromAsync(answer.textStream)

  expect(texts).toEqual(['При', 'вет'])
  expect(await answer.finishReason).toBe('stop')
  expect(await answer.usage).toMatchObject({ inputTokens: 12, outputTokens: 5, totalTokens: 17 })
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test('AI SDK: streamText() hears when a stream breaks', async () => {
  const { provide } = await start(sendsAndResets(delta('half of')))
  const errors: unknown[] = []

  const answer = streamText({
    model: provide('alpha'),
    prompt: 'Привет',
    onError: ({ error }) => void errors.push(error),
  })
  const texts = await Array.fromAsync(answer.textStream).catch(() => [])

  expect(texts).toEqual(['half of'])
  expect(String(errors)).toContain('The model broke off its answer.')
})

test('AI SDK: a refusal is an APICallError in our words, and not tried again', async () => {
  const { provide } = await start()

  const error = await generateText({ model: provide('beta'), prompt: 'Привет' }).catch(
    (thrown: unknown) => thrown,
  )

  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({
    statusCode: 404,
    isRetryable: false,
    message: 'model: is not one of GET /models',
  })
})
