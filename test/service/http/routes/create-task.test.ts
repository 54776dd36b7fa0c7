import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BODY,
  type GenerationSetup,
  openGenerationSetup,
  PRICE_MICRO_RUB,
} from '../../generation/generation-setup.ts'
import { countOf } from '../../rows.ts'

let setup: GenerationSetup
let service: Awaited<ReturnType<GenerationSetup['addProcess']>>
let accountId: number

beforeAll(async () => {
  setup = await openGenerationSetup()
  service = await setup.addProcess()
  accountId = await setup.addAccount()
})

afterAll(() => setup.close())

const RATIO = { aspect_ratio: '1280:720' }
const IMAGE = { image_url: 'https://example.org/cat.png' }
/** One code point, two UTF-16 units. */
const EMOJI = '🪙'

test.each<[string, object]>([
  ['a prompt of 1 code point', { prompt: EMOJI, ...RATIO }],
  ['a prompt of 5000 code points', { prompt: 'я'.repeat(5000), ...RATIO }],
  ['a prompt of 5000 emoji', { prompt: EMOJI.repeat(5000), ...RATIO }],
  ['a duration of 10', { prompt: 'a', ...RATIO, duration: 10 }],
  ['each field at its default', { prompt: 'a', ...RATIO, duration: 5, quality: '720p' }],
  ['the other aspect ratio', { prompt: 'a', aspect_ratio: '720:1280' }],
  ['an image instead of an aspect ratio', { prompt: 'a', ...IMAGE }],
  ['an image and an aspect ratio', { prompt: 'a', ...IMAGE, ...RATIO }],
  ['unknown fields', { prompt: 'a', ...RATIO, seed: { deep: [1, '\0'] }, model: null }],
])('POST /videos/vidgen-generate takes %s', async (_name, body) => {
  const answer = await service.create(accountId, body)

  expect(answer).toEqual({ status: 200, body: { task_id: expect.any(Number) } })
})

test.each<[string, unknown, (string | number)[][]]>([
  ['no prompt', { ...RATIO }, [['body', 'prompt']]],
  ['an empty prompt', { prompt: '', ...RATIO }, [['body', 'prompt']]],
  ['5001 code points', { prompt: 'я'.repeat(5001), ...RATIO }, [['body', 'prompt']]],
  ['5001 emoji', { prompt: EMOJI.repeat(5001), ...RATIO }, [['body', 'prompt']]],
  ['a number for a prompt', { prompt: 5, ...RATIO }, [['body', 'prompt']]],
  ['U+0000 in a prompt', { prompt: 'a\0b', ...RATIO }, [['body', 'prompt']]],
  ['half a surrogate pair', { prompt: 'a\ud83d', ...RATIO }, [['body', 'prompt']]],
  ['another duration', { prompt: 'a', ...RATIO, duration: 7 }, [['body', 'duration']]],
  ['a duration in quotes', { prompt: 'a', ...RATIO, duration: '5' }, [['body', 'duration']]],
  ['another quality', { prompt: 'a', ...RATIO, quality: '4k' }, [['body', 'quality']]],
  [
    '1080p with 10 s',
    { prompt: 'a', ...RATIO, quality: '1080p', duration: 10 },
    [['body', 'quality']],
  ],
  ['no aspect ratio without an image', { prompt: 'a' }, [['body', 'aspect_ratio']]],
  ['another aspect ratio', { prompt: 'a', aspect_ratio: '1:1' }, [['body', 'aspect_ratio']]],
  ['null for an aspect ratio', { prompt: 'a', aspect_ratio: null }, [['body', 'aspect_ratio']]],
  ['a file URL', { prompt: 'a', image_url: 'file:///etc/passwd' }, [['body', 'image_url']]],
  ['no URL', { prompt: 'a', image_url: 'cat.png' }, [['body', 'image_url']]],
  ['U+0000 in a URL', { prompt: 'a', image_url: 'https://a/\0' }, [['body', 'image_url']]],
  [
    'everything at once',
    { duration: 1, quality: 2, image_url: 3, aspect_ratio: 4 },
    ['prompt', 'duration', 'quality', 'image_url', 'aspect_ratio'].map((name) => ['body', name]),
  ],
  [
    'problems of both kinds',
    { quality: '1080p', duration: 10 },
    ['prompt', 'quality', 'aspect_ratio'].map((name) => ['body', name]),
  ],
  ['a label without a price', { prompt: 'a', ...RATIO, quality: '1080p' }, [['body']]],
  ['a list', [], [['body']]],
  ['null', null, [['body']]],
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

test('POST /videos/vidgen-generate refuses a request without a body', async () => {
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/videos/vidgen-generate',
    headers: { authorization: `Bearer ${accountId}` },
  })

  expect(response.statusCode).toBe(422)
})

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

test('POST /videos/vidgen-generate refuses with 402 and creates nothing', async () => {
  const poor = await setup.addAccount(PRICE_MICRO_RUB - 500_000n)

  const answer = await service.create(poor)

  expect(answer.status).toBe(402)
  expect(answer.body).toEqual({ detail: expect.stringMatching(/40 .*39\.5/) })
  expect(await countOf(setup.database.pool, 'task', 'WHERE account_id = $1', [poor])).toBe(0)
  expect(await setup.balance(poor)).toBe(PRICE_MICRO_RUB - 500_000n)
})

test('POST /videos/vidgen-generate answers racing repeats of one key with one task', async () => {
  const payer = await setup.addAccount(5n * PRICE_MICRO_RUB)
  const headers = { 'idempotency-key': 'order 1' }

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => service.create(payer, BODY, headers)),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(1)
  expect(await setup.balance(payer)).toBe(4n * PRICE_MICRO_RUB)
})

test('POST /videos/vidgen-generate takes a repeat whose unknown fields differ', async () => {
  const payer = await setup.addAccount(5n * PRICE_MICRO_RUB)
  const headers = { 'idempotency-key': 'order 1' }

  const first = await service.create(payer, { ...BODY, seed: 1 }, headers)
  const repeat = await service.create(payer, { seed: 2, ...BODY }, headers)

  expect(repeat).toEqual(first)
})

// Promise: An `Idempotency-Key` comes with another body or endpoint
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

test.each([
  ['an empty', ''],
  ['a long', 'k'.repeat(256)],
])('POST /videos/vidgen-generate refuses %s idempotency key', async (_name, key) => {
  const answer = await service.create(accountId, BODY, { 'idempotency-key': key })

  expect(answer.status).toBe(422)
  expect(answer.body.detail[0].loc).toEqual(['header', 'idempotency-key'])
})
