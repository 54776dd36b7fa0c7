import { expect } from 'vitest'
import { check, once } from './check.ts'
import type { Service } from './service.ts'

const plain = once(({ chat }: Service) => chat({ stream: false }))

check('a plain answer is JSON with its request, model, text and finish_reason', async (service) => {
  const { status, contentType, body } = await plain(service)
  expect([status, contentType]).toEqual([200, expect.stringMatching(/^application\/json/)])
  expect(body).toMatchObject({
    request_id: expect.stringMatching(/./),
    model: expect.stringMatching(/./),
    content: expect.any(String),
    finish_reason: expect.stringMatching(/^(stop|length)$/),
  })
})

check(
  'usage counts whole tokens, and cost_rub and cost_coins are the same number',
  async (service) => {
    const { body } = await plain(service)
    const {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
    } = body.usage as Record<string, number>
    expect([prompt, completion, total].every(Number.isInteger)).toBe(true)
    expect(total).toBe(Number(prompt) + Number(completion))
    expect(body.cost_rub).toBeTypeOf('number')
    expect(body.cost_coins).toBe(body.cost_rub)
  },
)
