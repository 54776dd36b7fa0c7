import { expect } from 'vitest'
import { readBalance, readCost, readTaskId } from '../../src/contract/client/read-answers.ts'
import { check, once } from './check.ts'
import {
  type Answer,
  type AskOptions,
  CHAT,
  CLIP,
  hasMovedBy,
  IMAGE,
  notSeen,
  PICTURE,
  SECRET,
  type Service,
  VIDEO,
} from './service.ts'

/** One chat more than a minute allows, all at once, and the balance around them. */
const chats = once(async (service: Service) => {
  const { ask, target, chat } = service
  const key = target.limitedKey
  const balance = async () =>
    readBalance((await ask('GET', '/balance', { key })).json) ??
    notSeen('the balance has an unknown shape')
  await service.quietMinute(key, CHAT)
  const before = await balance()
  const burst = Array.from({ length: 31 }, () => chat({ max_tokens: 1 }, { key, isPaced: false }))
  const answers = await Promise.all(burst)
  const told = answers.map(({ status, body }) => (status === 200 ? readCost(body) : 0n))
  const costMicroRub = told.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n)
  let after = await balance()
  for (let looks = 0; !hasMovedBy(costMicroRub, before, after) && looks < 30; looks += 1) {
    await target.clock.sleep(500)
    after = await balance()
  }
  return { answers, before, after, costMicroRub }
})

check('30 chats a minute are answered, the 31st is 429', async (service) => {
  const { answers } = await chats(service)
  expectLimit(answers, 30)
  expect(answers.find(({ status }) => status === 429)?.body.detail).toBeTypeOf('string')
})

check('a chat that is refused with 429 costs nothing', async (service) => {
  const { before, after, costMicroRub } = await chats(service)
  expect([before - after, hasMovedBy(costMicroRub, before, after)]).toEqual([before - after, true])
})

check('10 callback secrets a minute are answered, the 11th is 429', async (service) => {
  expectLimit(await askAtOnce(service, 11, 'GET', SECRET), 10)
})

check('3 videos a minute are created, the fourth is 429', async (service) => {
  expectLimit(await askAtOnce(service, 4, 'POST', VIDEO, { body: CLIP }), 3)
})

check('a task is polled once in 3 seconds, a second poll is 429', async (service) => {
  const { ask, target } = service
  const key = target.limitedKey
  const created = await ask('POST', IMAGE, { body: PICTURE, key })
  const taskId = readTaskId(created.json) ?? notSeen('no task was created')
  expectLimit(await askAtOnce(service, 2, 'GET', `/task/${taskId}`), 1)
})

check('a minute after the limit was reached, chats are answered again', async (service) => {
  const { limitedKey: key } = service.target
  await chats(service)
  await service.quietMinute(key, CHAT)
  const { status } = await service.chat({ max_tokens: 1 }, { key, isPaced: false })
  expect(status).not.toBe(429)
})

async function askAtOnce(
  service: Service,
  count: number,
  method: 'GET' | 'POST',
  path: string,
  options: AskOptions = {},
): Promise<Answer[]> {
  const key = service.target.limitedKey
  await service.quietMinute(key, path)
  const ask = () => service.ask(method, path, { ...options, key, isPaced: false })
  return await Promise.all(Array.from({ length: count }, ask))
}

function expectLimit(answers: readonly Answer[], max: number): void {
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.length - refused.length).toBe(max)
}
