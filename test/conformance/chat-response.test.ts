import { expect } from 'vitest'
import { check, once } from './check.ts'
import type { Service } from './service.ts'

const plain = once(({ chat }: Service) => chat({ stream: false }))

check('a plain chat is answered with one JSON body', async (service) => {
  const { status, contentType, json } = await plain(service)
  expect([status, contentType]).toEqual([200, expect.stringMatching(/^application\/json/)])
  expect(json).toBeTypeOf('object')
})

check('a plain answer has its request, model, text and finish_reason', async (service) => {
  expect((await plain(service)).body).toMatchObject({
    request_id: expect.stringMatching(/./),
    model: expect.stringMatching(/./),
    content: expect.any(String),
    finish_reason: expect.stringMatching(/^(stop|length)$/),
  })
})

check('usage counts tokens in whole numbers', async (service) => {
  const usage = (await plain(service)).body.usage as Record<string, number>
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  expect([prompt, completion, total].every(Number.isInteger)).toBe(true)
  expect(total).toBe(Number(prompt) + Number(completion))
})

check('cost_rub and its alias cost_coins are the same number', async (service) => {
  const { body } = await plain(service)
  expect(body.cost_rub).toBeTypeOf('number')
  expect(body.cost_coins).toBe(body.cost_rub)
})
