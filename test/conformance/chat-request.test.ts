import { expect } from 'vitest'
import { check } from './check.ts'
import { MAX_TOKENS, notSeen } from './service.ts'

const MILLION = 1_000_000n
/** More than any model of the interface takes. */
const TOKENS_MAX = 1_000_000n

check('each field of a chat must have an allowed value', async ({ chat }) => {
  const wrong = [
    { model: undefined },
    { model: 'no-such-model' },
    { model: 7 },
    { messages: undefined },
    { messages: 'hello' },
    { messages: [{ content: 'hello' }] },
    { messages: [{ role: 'user' }] },
    { messages: [{ role: 'user', content: 1 }] },
    { max_tokens: 'many' },
    { max_tokens: 1.5 },
  ]
  for (const fields of wrong) {
    expect([fields, (await chat(fields)).status]).toEqual([fields, 422])
  }
})

check('an invalid chat request costs nothing, plain or streamed', async ({ chat, balance }) => {
  const before = await balance()
  for (const stream of [false, true]) await chat({ messages: undefined, stream })
  expect(await balance()).toBe(before)
})

check('a chat above the balance is 402 and costs nothing', async ({ balance, chat, model }) => {
  const before = await balance()
  const { completionMicroRubPer1m: price = 0n } = await model()
  if (price === 0n) notSeen('the model has no price')
  // A quarter more than the balance, so that the estimate of the input does not matter.
  const tokens = (before * 5n * MILLION) / (4n * price) + BigInt(MAX_TOKENS)
  if (tokens > TOKENS_MAX) notSeen('the balance covers every chat')
  const { status, body } = await chat({ max_tokens: Number(tokens) })
  expect([status, body.detail]).toEqual([402, expect.any(String)])
  expect(await balance()).toBe(before)
})
