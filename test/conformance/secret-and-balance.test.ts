import { expect } from 'vitest'
import { readCallbackSecret } from '../../src/contract/client/read-answers.ts'
import { check } from './check.ts'
import { notSeen, SECRET, type Service } from './service.ts'

check('GET /balance answers 200, and reading changes no balance', async ({ ask, balance }) => {
  expect((await ask('GET', '/balance')).status).toBe(200)
  const before = await balance()
  await ask('GET', '/chats/models')
  expect(await balance()).toBe(before)
})

check('GET /callback/secret answers with the same secret each time', async (service) => {
  expect((await service.ask('GET', SECRET)).status).toBe(200)
  expect(await readSecret(service)).toBe(await readSecret(service))
})

check('each account has its own callback secret', async (service) => {
  const other = service.target.otherKey ?? notSeen('no key of another account')
  expect(await readSecret(service, other)).not.toBe(await readSecret(service))
})

async function readSecret({ ask }: Service, key?: string): Promise<string> {
  const { json } = await ask('GET', SECRET, { key })
  return readCallbackSecret(json) ?? notSeen('the secret has an unknown shape')
}
