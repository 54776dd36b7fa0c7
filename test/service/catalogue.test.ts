import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChatModels, ChatResponse, ErrorBody } from '../../src/contract/chat.ts'
import { createOffers } from '../../src/service/catalogue.ts'
import {
  builtInServiceConfig,
  type ServiceConfig,
} from '../../src/service/config/service-config.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
  usage,
} from './providers/openai-server.ts'
import { startTestService, type TestService, theHold, upstreamConfig } from './service-fixture.ts'

const BUILT_IN = builtInServiceConfig()
const VIDEOS = 'videos/vidgen-generate'
const IMAGES = 'images/imagegen-generate'

let kopeck: TestService

beforeEach(async () => {
  kopeck = await startTestService()
})
afterEach(() => kopeck[Symbol.asyncDispose]())

test('another config changes the models, prices and endpoints of the next request', async () => {
  const [alpha, beta] = BUILT_IN.chat.models
  if (alpha === undefined || beta === undefined) throw new TypeError('There are seven models')

  kopeck.service.sellBy({
    ...BUILT_IN,
    chat: {
      models: [
        { ...alpha, prompt_rub_per_1m: '151' },
        { ...beta, id: 'new' },
      ],
    },
    generation: { [IMAGES]: { prices_rub: { imagegen: '6' }, provider: { type: 'demo' } } },
  })

  const { models } = await readJson<ChatModels>('/chats/models')
  expect(models.map(({ id }) => id)).toEqual(['alpha-large', 'new'])
  expect(models[0]).toMatchObject({ prompt_rub_per_1m: 151 })
  expect(await readJson('/prices')).toEqual({ prices_rub: { imagegen: 6 } })
  expect((await kopeck.call(`/${VIDEOS}`, { method: 'POST' })).status).toBe(404)
  expect(kopeck.service.makesVideos()).toBe(false)
})

test('a model that is gone refuses new requests, and one that came answers', async () => {
  kopeck.service.sellBy(withModel('new'))

  const gone = await chat('alpha-large')
  const came = await chat('new')

  expect([gone.status, came.status]).toEqual([422, 200])
  expect((await readJson<ErrorBody>(gone)).detail).toContain('model')
})

test('a request that has begun ends at the price, and with the provider, that it began with', async () => {
  const asked = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  const answersLate: Responder = async (...http) => {
    asked.resolve()
    await mayAnswer.promise
    await sends(delta('late'), finish(), usage(1000, 100), DONE)(...http)
  }
  await using upstream = await startOpenAiServer(answersLate)
  kopeck.service.sellBy(upstreamConfig(upstream.baseUrl))

  const answering = chat('alpha')
  await asked.promise
  kopeck.service.sellBy({ ...upstreamConfig('http://127.0.0.1:9'), ...withModel('other') })
  mayAnswer.resolve()

  const answer = await readJson<ChatResponse>(await answering)
  expect(answer.content).toBe('late')
  // 1,000 tokens at 150 RUB and 100 at 600 RUB, of a million.
  expect(answer.cost_rub).toBe(0.21)
  expect((await theHold(kopeck.pool)).cost).toBe('210000')
})

test('work is asked after where it has begun, as long as the process lives; what has not begun, where it would be now', () => {
  const offers = createOffers(relayConfig('http://127.0.0.1:9001/api/v1'))
  const first = offers.findKnown(IMAGES)
  offers.replace(relayConfig('http://127.0.0.1:9002/api/v1/'))
  const second = offers.findKnown(IMAGES)
  offers.replace(relayConfig('http://127.0.0.1:9002/api/v1'))

  const last = offers.findKnown(IMAGES)

  expect(first?.maker).toBe('http://127.0.0.1:9001/api/v1')
  expect(offers.findKnown(IMAGES, first?.maker)).toBe(first)
  expect(second?.maker).toBe('http://127.0.0.1:9002/api/v1')
  expect(last).not.toBe(second)
  expect(offers.findKnown(IMAGES, second?.maker)).toBe(last)
})

function relayConfig(baseUrl: string): ServiceConfig {
  const provider = { type: 'relay', base_url: baseUrl, api_key_env: 'RELAY_KEY' } as const
  return { ...BUILT_IN, generation: { [IMAGES]: { prices_rub: { imagegen: '6' }, provider } } }
}

function withModel(id: string): ServiceConfig {
  const [model] = BUILT_IN.chat.models
  if (model === undefined) throw new TypeError('There are seven models')
  return { ...BUILT_IN, chat: { models: [{ ...model, id }] } }
}

async function readJson<T = unknown>(answer: string | Response): Promise<T> {
  return (await (typeof answer === 'string'
    ? await kopeck.call(answer)
    : answer
  ).json()) as Promise<T>
}

function chat(model: string): Promise<Response> {
  return kopeck.chat({ model, messages: [{ role: 'user', content: 'hi' }] })
}
