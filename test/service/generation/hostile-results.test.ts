import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Resolve } from '../../../src/platform/http/url-guard.ts'
import { MP4 } from '../../media-files.ts'
import { startServer } from '../../platform/http/local-server.ts'
import {
  createFakeProvider,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from './generation-setup.ts'

// What a provider names as a result is somebody else's word: a hostile one, or one that was broken into,
// would have the service fetch what only the service can reach, and publish it.

let setup: GenerationSetup

beforeEach(async () => {
  setup = await openGenerationSetup()
})

afterEach(() => setup.close())

async function startScene({
  toLink,
  answer = () => {},
  resolve,
}: {
  toLink: (hosts: { provider: string; inside: string; port: string }) => string
  answer?: Parameters<typeof startServer>[0]
  resolve?: Resolve
}) {
  const own = await startServer(answer)
  const inside = await startServer((response) => void response.end(MP4))
  const { host, port } = new URL(inside.baseUrl)
  const provider = createFakeProvider()
  const url = toLink({ provider: new URL(own.baseUrl).host, inside: host, port })
  provider.check.mockResolvedValue({ status: 'success', results: [{ type: 'url', url }] })
  const guard = { allow: new Set<string>(), resolve }
  const service = await setup.addProcess(provider, { guard, providerUrl: own.baseUrl })
  await service.generation.start()
  const accountId = await setup.addAccount(PRICE_MICRO_RUB)
  const { task_id: taskId } = (await service.create(accountId)).body
  return { inside, accountId, taskId, service, visit: () => service.visit(taskId) }
}

const inside: Resolve = async () => [{ address: '127.0.0.1' }]

test.each<[string, Parameters<typeof startScene>[0]['toLink']]>([
  ['loopback', ({ inside }) => `http://${inside}/video.mp4`],
  ['a name that leads inside', ({ port }) => `http://videos.example.com:${port}/video.mp4`],
  ['a file of ours', () => 'file:///etc/passwd'],
])('a result in %s fails its task: nothing is fetched or published', async (_name, toLink) => {
  const scene = await startScene({ toLink, resolve: inside })

  expect(await scene.visit()).toBeUndefined()

  const { body: task } = await scene.service.read(scene.accountId, scene.taskId)
  expect(task).toEqual({
    status: 'fail',
    result_urls: null,
    error: { code: 502, message: expect.stringContaining('nothing is fetched from') },
  })
  expect(await setup.refunds(scene.taskId)).toBe(1)
  expect(await setup.balance(scene.accountId)).toBe(PRICE_MICRO_RUB)
  expect(scene.inside.connections()).toBe(0)
  expect(await readdir(setup.mediaDir)).toEqual([])
})

test('a result from the host of its provider is kept although that is private', async () => {
  const scene = await startScene({
    toLink: ({ provider }) => `http://${provider}/video.mp4`,
    answer: (response) => void response.end(MP4),
  })

  await scene.visit()

  expect(await setup.task(scene.taskId)).toMatchObject({ status: 'success' })
})
