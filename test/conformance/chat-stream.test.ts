import { expect } from 'vitest'
import { check, once } from './check.ts'
import { choiceOf, deltaOf, LONG, readEvents, type Service } from './service.ts'

const FINAL_FIELDS = ['usage', 'cost_rub', 'cost_coins']

const streamed = once(async ({ chat }: Service) => {
  const answer = await chat({ messages: LONG, stream: true })
  const events = readEvents(answer.text)
  return { answer, events, early: events.chunks.slice(0, -1), final: events.chunks.at(-1) ?? {} }
})

const broken = once(async ({ chat, faults }: Service) => {
  const answer = await chat({ model: faults().broken, stream: true })
  return { answer, events: readEvents(answer.text) }
})

check('a stream is events of one line of data each, the last one [DONE]', async (service) => {
  const { answer, events } = await streamed(service)
  expect([answer.status, answer.contentType]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ])
  expect(events.wrongBlocks).toEqual([])
  expect(answer.text.trimEnd()).toMatch(/\n\ndata: \[DONE\]$/)
})

check('each chunk has id, object, model and one choice', async (service) => {
  for (const chunk of (await streamed(service)).events.chunks) {
    expect(chunk).toMatchObject({
      id: expect.stringMatching(/./),
      object: 'chat.completion.chunk',
      model: expect.stringMatching(/./),
      choices: [{ index: 0, delta: expect.any(Object) }],
    })
  }
})

check('text comes in deltas, before any finish_reason', async (service) => {
  const { early } = await streamed(service)
  expect(early.map(deltaOf).join('')).not.toBe('')
  for (const chunk of early) expect(choiceOf(chunk).finish_reason).toBeNull()
})

check('the last chunk has finish_reason, usage and cost, and no text', async (service) => {
  const { final } = await streamed(service)
  expect(choiceOf(final).finish_reason).toMatch(/./)
  expect(deltaOf(final)).toBe('')
  expect(final).toMatchObject({
    usage: {
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
    },
    cost_rub: expect.any(Number),
  })
  expect(final.cost_coins).toBe(final.cost_rub)
})

check('usage and cost are in no chunk but the last', async (service) => {
  for (const chunk of (await streamed(service)).early) {
    expect(FINAL_FIELDS.filter((name) => name in chunk)).toEqual([])
  }
})

check('an error in the middle of a stream is its last event, with status 200', async (service) => {
  const { answer, events } = await broken(service)
  expect(answer.status).toBe(200)
  expect(events.chunks.map(deltaOf).join('')).not.toBe('')
  expect(events.chunks.find(({ error }) => error !== undefined)).toMatchObject({
    error: { message: expect.any(String) },
  })
  expect(events.data.at(-1)).toMatch(/^\{"error"/)
})

check('a failure before the first token is 502 or 503 with JSON, no stream', async (service) => {
  const { silent, unavailable } = service.faults()
  for (const model of [silent, unavailable]) {
    const { status, contentType } = await service.chat({ model, stream: true })
    expect([502, 503]).toContain(status)
    expect(contentType).toMatch(/^application\/json/)
  }
})
