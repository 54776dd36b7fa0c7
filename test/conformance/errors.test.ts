import { expect } from 'vitest'
import { check } from './check.ts'
import { CLIP, SECRET, VIDEO } from './service.ts'

check('every answer is JSON', async ({ ask, chat }) => {
  const answers = [
    await ask('GET', '/balance'),
    await ask('GET', '/chats/models'),
    await ask('GET', SECRET),
    await ask('GET', '/balance', { key: null }),
    await ask('POST', VIDEO, { body: { ...CLIP, duration: 7 } }),
    await chat({ messages: undefined }),
  ]
  for (const { contentType, json } of answers) {
    expect(contentType).toMatch(/^application\/json/)
    expect(json).toBeDefined()
  }
})

check('the detail of an invalid chat request is a string, also for a stream', async ({ chat }) => {
  for (const stream of [false, true]) {
    expect((await chat({ messages: undefined, stream })).body.detail).toBeTypeOf('string')
  }
})

check('a chat that its provider fails is 502 or 503 with a detail', async ({ chat, faults }) => {
  for (const stream of [false, true]) {
    const { status, body } = await chat({ model: faults().refused, stream })
    expect([status, body.detail]).toEqual([502, expect.any(String)])
  }
  const { status, body } = await chat({ model: faults().unavailable })
  expect([status, body.detail]).toEqual([503, expect.any(String)])
})
