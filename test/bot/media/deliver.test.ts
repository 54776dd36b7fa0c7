import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { createDeliverer } from '../../../src/bot/media/deliver.ts'
import type { Failure } from '../../../src/bot/media/failure.ts'
import { ClipTooLargeError, ClipUnavailableError } from '../../../src/bot/media/fetch-clip.ts'
import { createOrderStatus } from '../../../src/bot/media/order-status.ts'
import type { Order } from '../../../src/bot/media/order-store.ts'
import { MediaRefusedError } from '../../../src/bot/telegram/errors.ts'
import type { EditOutcome, Outbox, VideoSource } from '../../../src/bot/telegram/outbox/outbox.ts'

const PUBLIC = 'https://clips.example.com/1.mp4'
const PRIVATE = 'http://127.0.0.1:3000/1.mp4'
const BYTES = Buffer.from('the bytes')
const NEVER = new AbortController().signal
const HOUR_MS = 3600_000

test('a public clip goes by its URL, without being fetched here', async () => {
  const { deliver, order, sources, fetched } = scene({ url: PUBLIC })

  expect(await deliver(order, NEVER)).toBe('ended')

  expect(sources).toEqual([{ url: PUBLIC }])
  expect(fetched).toEqual([])
})

test('a clip that Telegram cannot fetch is uploaded', async () => {
  const { deliver, order, sources, ended } = scene({ url: PUBLIC, refuses: ['url'] })

  await deliver(order, NEVER)

  expect(sources).toEqual([{ url: PUBLIC }, { bytes: BYTES, fileName: 'clip-7.mp4' }])
  expect(ended).toEqual(['delivered'])
})

test('a private clip is uploaded at once', async () => {
  const { deliver, order, sources } = scene({ url: PRIVATE })

  await deliver(order, NEVER)

  expect(sources).toEqual([{ bytes: BYTES, fileName: 'clip-7.mp4' }])
})

test('a clip too large to be uploaded is shown as a link', async () => {
  const fetchClip = () => Promise.reject(new ClipTooLargeError('too large'))
  const { deliver, order, texts, ended } = scene({ url: PUBLIC, refuses: ['url'], fetchClip })

  await deliver(order, NEVER)

  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a clip that nobody can have is told and its charge taken back', async () => {
  const { deliver, order, texts, failures } = scene({ url: PRIVATE, refuses: ['bytes'] })

  await deliver(order, NEVER)

  expect(failures).toEqual([{ code: -4, money: 'reversed' }])
  expect(texts.get(101)).toContain('I could not fetch it')
  expect(texts.get(50)).toContain('did not work out')
})

test('a clip that does not come now is tried again for a day', async () => {
  const fetchClip = () => Promise.reject(new ClipUnavailableError('not now'))
  const early = scene({ url: PRIVATE, fetchClip, ageMs: 23 * HOUR_MS })
  const late = scene({ url: PRIVATE, fetchClip, ageMs: 25 * HOUR_MS })

  expect(await early.deliver(early.order, NEVER)).toBe('later')
  expect(await late.deliver(late.order, NEVER)).toBe('ended')

  expect(early.failures).toEqual([])
  expect(late.failures).toEqual([{ code: -4, money: 'reversed' }])
})

test('a message deleted before it became the clip is sent again', async () => {
  const { deliver, order, ended, targets } = scene({ url: PUBLIC, outcomes: ['gone', 'shown'] })

  await deliver(order, NEVER)

  expect(targets).toEqual([101, 102])
  expect(ended).toEqual(['delivered'])
})

test('a long description is shortened under the clip', async () => {
  const { deliver, order, captions } = scene({ url: PUBLIC, prompt: '🦊 '.repeat(400) })

  await deliver(order, NEVER)

  const [prompt = '', price] = captions[0]?.split('\n') ?? []
  expect([...prompt].length).toBeLessThanOrEqual(200)
  expect(prompt.endsWith('🦊…')).toBe(true)
  expect(price).toBe('₽40.00')
})

/** A ready order and an outbox that notes what it is told; messages are numbered from 101. */
function scene({
  url,
  prompt = 'a fox',
  refuses = [],
  outcomes = [],
  ageMs = 0,
  fetchClip,
}: {
  url: string
  prompt?: string
  refuses?: ('url' | 'bytes')[]
  outcomes?: EditOutcome[]
  ageMs?: number
  fetchClip?: () => Promise<Uint8Array>
}) {
  const now = Date.now()
  const sources: VideoSource[] = []
  const targets: number[] = []
  const captions: (string | undefined)[] = []
  const texts = new Map<number, string>()
  const fetched: string[] = []
  const failures: Failure[] = []
  const ended: (string | undefined)[] = []
  let messageId = 100
  const outbox = {
    async send({ chatId, ...body }) {
      texts.set(++messageId, 'text' in body ? body.text : '')
      return { chatId, messageId }
    },
    edit: (async ({ messageId }, text) => {
      texts.set(messageId, String(text))
      return 'shown'
    }) as Outbox['edit'],
    async editToVideo({ messageId }, source, { caption }) {
      sources.push(source)
      targets.push(messageId)
      captions.push(caption)
      if (refuses.some((kind) => kind in source)) throw new MediaRefusedError('refused')
      return outcomes.shift() ?? 'shown'
    },
  } satisfies Pick<Outbox, 'send' | 'edit' | 'editToVideo'>
  const store = {
    async setStatusMessage() {},
    async setClipMessage() {},
    async fail(_order: Order, failure: Failure) {
      failures.push(failure)
    },
    async end(_order: Order, { state }: { state?: 'delivered' } = {}) {
      ended.push(state)
    },
  }
  const log = pino({ level: 'silent' })
  const status = createOrderStatus({ store, outbox, texts: createTexts(), log })
  const { deliver } = createDeliverer({
    store,
    outbox,
    status,
    texts: createTexts(),
    log,
    now: () => now,
    fetchClip: async (asked) => {
      fetched.push(asked)
      return fetchClip ? fetchClip() : BYTES
    },
  })
  const order: Order = {
    id: 7n,
    userId: 501n,
    chatId: 501n,
    threadId: 0,
    commandMessageId: 49,
    statusMessageId: 50,
    clipMessageId: null,
    params: { prompt, duration: 5, quality: '720p', aspect_ratio: '1280:720' },
    label: 'vidgen-720p-5s',
    priceMicroRub: 40_000_000n,
    idempotencyKey: '00000000-0000-4000-8000-000000000000',
    state: 'ready',
    taskId: 1,
    resultUrl: url,
    errorCode: null,
    errorMessage: null,
    leaseOwner: 1,
    createdAt: new Date(now - ageMs),
    endedAt: null,
    user: { language: null, languageCode: 'en' },
  }
  return { deliver, order, sources, targets, captions, texts, fetched, failures, ended }
}
