import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import {
  ClipRefusedError,
  ClipTooLargeError,
  ClipUnavailableError,
} from '../../../../src/bot/media/delivery/fetch-clip.ts'
import { createClipDelivery } from '../../../../src/bot/media/delivery/show-clip.ts'
import {
  type DeliveredFiles,
  deliveredFilesOf,
} from '../../../../src/bot/media/order/delivered-files.ts'
import type { OrderFailure } from '../../../../src/bot/media/order/order-failure.ts'
import { createOrderStatus } from '../../../../src/bot/media/order/order-status.ts'
import type { Order } from '../../../../src/bot/media/order/order-store.ts'
import { createFailureNotices } from '../../../../src/bot/media/order/tell-failure.ts'
import { MediaRefusedError } from '../../../../src/bot/telegram/errors.ts'
import type { EditOutcome, FileSource, Outbox } from '../../../../src/bot/telegram/outbox/outbox.ts'
import { systemClock } from '../../../../src/time/clock.ts'
import { orderOf } from '../order-of.ts'

const PUBLIC = 'https://clips.example.com/1.mp4'
const PRIVATE = 'http://127.0.0.1:3000/1.mp4'
const BYTES = Buffer.from('the bytes')
const FILE = { type: 'video', fileId: 'BAACAg' } as const
const NEVER = new AbortController().signal
const HOUR_MS = 3600_000
const REDELIVER_MS = 30_000

test('a public clip goes by its URL, without being fetched here', async () => {
  const { deliver, sources, fetched, delivered } = scene({ url: PUBLIC })

  expect(await deliver()).toBeUndefined()

  expect(sources).toEqual([{ url: PUBLIC }])
  expect(delivered()).toEqual([FILE])
  expect(fetched).toEqual([])
})

test('a clip that Telegram cannot fetch is uploaded', async () => {
  const { deliver, sources, ended } = scene({ url: PUBLIC, refuses: ['url'] })

  await deliver()

  expect(sources).toEqual([{ url: PUBLIC }, { bytes: BYTES, fileName: 'clip-7.mp4' }])
  expect(ended).toEqual(['delivered'])
})

test('a private clip is uploaded at once', async () => {
  const { deliver, sources } = scene({ url: PRIVATE })

  await deliver()

  expect(sources).toEqual([{ bytes: BYTES, fileName: 'clip-7.mp4' }])
})

test('a clip too large to be uploaded is shown as a link', async () => {
  const fetchClip = () => Promise.reject(new ClipTooLargeError('too large'))
  const { deliver, texts, ended } = scene({ url: PUBLIC, refuses: ['url'], fetchClip })

  await deliver()

  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a clip that neither Telegram nor we can show is told and its charge written off', async () => {
  const { deliver, texts, failures } = scene({ url: PRIVATE, refuses: ['bytes'] })

  await deliver()

  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect(texts.get(101)).toContain('I could not fetch it')
  expect(texts.get(50)).toContain('did not work out')
})

test('what is no clip is not sent on, not even as a link, and its charge is taken back', async () => {
  const fetchClip = () => Promise.reject(new ClipRefusedError('a page'))
  const { deliver, sources, texts, failures } = scene({ url: PUBLIC, refuses: ['url'], fetchClip })

  await deliver()

  expect(sources).toEqual([{ url: PUBLIC }])
  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect([...texts.values()].join()).not.toContain(PUBLIC)
})

test('a clip that does not come now is tried again for a day', async () => {
  const fetchClip = () => Promise.reject(new ClipUnavailableError('not now'))
  const early = scene({ url: PRIVATE, fetchClip, ageMs: 23 * HOUR_MS })
  const late = scene({ url: PRIVATE, fetchClip, ageMs: 25 * HOUR_MS })

  expect(await early.deliver()).toBe(REDELIVER_MS)
  await late.deliver()

  expect(early.failures).toEqual([])
  expect(late.failures).toEqual([{ code: -4, money: 'write_off' }])
})

test('a message deleted before it became the clip is sent again, a while later', async () => {
  const { deliver, ended, targets } = scene({ url: PUBLIC, outcomes: ['gone', 'shown'] })

  expect(await deliver()).toBe(REDELIVER_MS)
  await deliver()

  expect(targets).toEqual([101, 102])
  expect(ended).toEqual(['delivered'])
})

test('a long description is shortened under the clip', async () => {
  const { deliver, captions } = scene({ url: PUBLIC, prompt: '🦊 '.repeat(400) })

  await deliver()

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
  const sources: FileSource[] = []
  const targets: number[] = []
  const captions: (string | undefined)[] = []
  const texts = new Map<number, string>()
  const fetched: string[] = []
  const failures: OrderFailure[] = []
  const ended: (string | undefined)[] = []
  let messageId = 100
  const outbox = {
    async send({ chatId, ...body }) {
      texts.set(++messageId, 'text' in body ? body.text : '')
      return { chatId, messageId }
    },
    async edit({ messageId }, text) {
      texts.set(messageId, String(text))
      return 'shown'
    },
    editInterim: async () => 'dropped',
    async editToMedia({ messageId }, { source, caption }) {
      sources.push(source)
      targets.push(messageId)
      captions.push(caption)
      if (refuses.some((kind) => kind in source)) throw new MediaRefusedError('refused')
      return outcomes.shift() ?? FILE
    },
  } satisfies Pick<Outbox, 'send' | 'edit' | 'editInterim' | 'editToMedia'>
  const change = (data: Partial<Order>) => {
    order = { ...order, ...data }
    return Promise.resolve(order)
  }
  const store = {
    setStatusMessage: (_order: Order, statusMessageId: number) => change({ statusMessageId }),
    setStatusDue: async () => {},
    setResultMessage: (_order: Order, resultMessageId: number | null) =>
      change({ resultMessageId }),
    async fail(_order: Order, failure: OrderFailure) {
      failures.push(failure)
      return change({ state: 'failed', errorCode: failure.code })
    },
    setDelivered(_order: Order, deliveredFiles: DeliveredFiles) {
      ended.push('delivered')
      return change({ state: 'delivered', deliveredFiles })
    },
    end() {
      ended.push('failed')
      return change({})
    },
  }
  const log = pino({ level: 'silent' })
  const statusDeps = { store, outbox, texts: createTexts(), statusMs: 0, clock: systemClock, log }
  const status = createOrderStatus(statusDeps)
  const deps = { store, outbox, status, texts: createTexts(), log, signal: NEVER }
  const clips = createClipDelivery({
    ...deps,
    redeliverMs: REDELIVER_MS,
    guard: { allow: new Set() },
    fetchClip: async (asked) => {
      fetched.push(asked)
      return fetchClip ? fetchClip() : BYTES
    },
  })
  const failureNotices = createFailureNotices(deps)
  let order = orderOf({
    params: { prompt, duration: 5, quality: '720p', aspect_ratio: '1280:720' },
    state: 'ready',
    taskId: 1,
    pictureHash: null,
    expectsCallback: false,
    calledBack: null,
    resultUrls: [url],
    ageMs: () => ageMs,
  })
  const delivered = () => deliveredFilesOf(order)
  return { deliver, sources, targets, captions, texts, fetched, failures, ended, delivered }

  /** Visits the order until it has ended or has to wait. */
  async function deliver(): Promise<number | undefined> {
    const dueInMs = await clips.show(order)
    return dueInMs === 0 ? failureNotices.tell(order) : dueInMs
  }
}
