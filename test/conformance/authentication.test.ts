import { expect } from 'vitest'
import { check } from './check.ts'
import { CHAT, CLIP, SECRET, VIDEO } from './service.ts'

const ENDPOINTS = [
  ['POST', CHAT, {}],
  ['GET', '/chats/models', undefined],
  ['POST', VIDEO, CLIP],
  ['GET', '/task/1', undefined],
  ['GET', SECRET, undefined],
  ['GET', '/balance', undefined],
] as const

check('the base URL ends in the version', async ({ target, ask }) => {
  expect(new URL(target.baseUrl).pathname).toMatch(/\/api\/v1$/)
  expect((await ask('GET', '/chats/models')).status).not.toBe(404)
})

check(
  'every endpoint refuses a request without a valid key, the video endpoint with 401',
  async ({ ask }) => {
    for (const key of [null, 'no-such-key']) {
      for (const [method, path, body] of ENDPOINTS) {
        const { status } = await ask(method, path, { body, key })
        expect([path, status >= 400 && status < 500]).toEqual([path, true])
        if (path === VIDEO) expect(status).toBe(401)
      }
    }
  },
)
