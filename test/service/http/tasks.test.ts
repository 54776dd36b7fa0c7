import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BODY,
  createFakeProvider,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from '../generation/generation-setup.ts'
import { letTimePass } from '../let-time-pass.ts'
import { countOf } from '../rows.ts'

let setup: GenerationSetup
let service: Awaited<ReturnType<GenerationSetup['addProcess']>>
let accountId: number
const provider = createFakeProvider()

beforeAll(async () => {
  setup = await openGenerationSetup()
  service = await setup.addProcess(provider)
  await service.generation.start()
  accountId = await setup.addAccount()
})

afterAll(() => setup.close())

const RATIO = { aspect_ratio: '1280:720' }
const IMAGE = { image_url: 'https://example.org/cat.png' }
/** One code point, two UTF-16 units. */
const EMOJI = '🪙'

test.each<[string, object]>([
  ['a prompt of 5000 emoji', { prompt: EMOJI.repeat(5000), ...RATIO }],
  ['an image instead of an aspect ratio', { prompt: 'a', ...IMAGE }],
  ['unknown fields', { prompt: 'a', ...RATIO, seed: { deep: [1, '\0'] }, model: null }],
])('POST /videos/vidgen-generate takes %s', async (_name, body) => {
  const answer = await service.create(accountId, body)

  expect(answer).toEqual({ status: 200, body: { task_id: expect.any(Number) } })
})

test.each<[string, unknown, (string | number)[][]]>([
  ['5001 emoji', { prompt: EMOJI.repeat(5001), ...RATIO }, [['body', 'prompt']]],
  ['U+0000 in a prompt', { prompt: 'a\0b', ...RATIO }, [['body', 'prompt']]],
  [
    '1080p with 10 s',
    { prompt: 'a', ...RATIO, quality: '1080p', duration: 10 },
    [['body', 'quality']],
  ],
  ['no aspect ratio without an image', { prompt: 'a' }, [['body', 'aspect_ratio']]],
  ['no body', 7, [['body']]],
  [
    'a missing field beside fields that do not fit together',
    { quality: '1080p', duration: 10, image_url: 'a' },
    ['prompt', 'quality', 'image_url'].map((name) => ['body', name]),
  ],
  [
    'everything at once',
    { duration: 1, quality: 2, image_url: 3, aspect_ratio: 4 },
    ['prompt', 'duration', 'quality', 'image_url', 'aspect_ratio'].map((name) => ['body', name]),
  ],
])(
  'POST /videos/vidgen-generate refuses %s with 422 and charges nothing',
  async (_name, body, locs) => {
    const poor = await setup.addAccount(0n)

    const response = await service.app.inject({
      method: 'POST',
      url: '/api/v1/videos/vidgen-generate',
      headers: { authorization: `Bearer ${poor}`, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })

    expect(response.statusCode).toBe(422)
    const { detail } = response.json()
    expect(detail).toEqual(locs.map((loc) => ({ loc, msg: expect.stringMatching(/./) })))
  },
)

test('POST /videos/vidgen-generate stores the known fields, charges once and is due at once', async () => {
  const payer = await setup.addAccount(2n * PRICE_MICRO_RUB)

  const answer = await service.create(payer, { ...BODY, seed: 1 })

  const taskId = answer.body.task_id
  expect(await setup.task(taskId)).toMatchObject({
    accountId: payer,
    endpoint: 'videos/vidgen-generate',
    params: BODY,
    label: 'vidgen-720p-5s',
    priceMicroRub: PRICE_MICRO_RUB,
    status: 'waiting',
    dueAt: expect.any(Date),
    leaseOwner: null,
  })
  expect(await setup.balance(payer)).toBe(PRICE_MICRO_RUB)
})

test('POST /videos/vidgen-generate refuses a key that came with another body: 422, nothing made or charged', async () => {
  const payer = await setup.addAccount(5n * PRICE_MICRO_RUB)
  const headers = { 'idempotency-key': 'order 1' }
  await service.create(payer, BODY, headers)

  const answer = await service.create(payer, { ...BODY, prompt: 'another coin' }, headers)

  expect(answer).toEqual({
    status: 422,
    body: { detail: [{ loc: ['header', 'idempotency-key'], msg: expect.stringMatching(/./) }] },
  })
  expect(await countOf(setup.database.pool, 'task', 'WHERE account_id = $1', [payer])).toBe(1)
  expect(await setup.balance(payer)).toBe(4n * PRICE_MICRO_RUB)
})

test('GET /task/:task_id shows why a task failed', async () => {
  const { body: created } = await service.create(accountId)
  provider.check.mockResolvedValueOnce({ status: 'fail', code: 451, message: 'not\0 this\ud800' })
  await service.visit(created.task_id)

  const answer = await service.read(accountId, created.task_id)

  expect(answer.body).toEqual({
    status: 'fail',
    result_urls: null,
    error: { code: 451, message: 'not this\ufffd' },
  })
})

test('GET /task/:task_id answers a poll after the database clock was set back by two hours', async () => {
  const { body: created } = await service.create(accountId)
  await service.read(accountId, created.task_id)
  const poll = () =>
    service.app.inject({
      url: `/api/v1/task/${created.task_id}`,
      headers: { authorization: `Bearer ${accountId}` },
    })

  await letTimePass(setup.database.pool, -2 * 3_600_000)
  const answers = [await poll(), await poll()]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 429])
  expect(answers[1]?.headers['retry-after']).toBe('3')
})

test.each(['2147483647', '2147483648', 'x'])('GET /task/%s is 404', async (id) => {
  const answer = await service.read(accountId, id)

  expect(answer).toEqual({ status: 404, body: { detail: expect.any(String) } })
})
