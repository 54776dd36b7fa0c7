import { pino } from 'pino'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createAgainButtons } from '../../../../src/bot/media/again.ts'
import type { fetchResult } from '../../../../src/bot/media/delivery/fetch-result.ts'
import { createResultGiving } from '../../../../src/bot/media/delivery/give-results.ts'
import {
  createResultDelivery,
  type ResultDeliveryDeps,
} from '../../../../src/bot/media/delivery/show-results.ts'
import { deliveredFilesOf } from '../../../../src/bot/media/order/delivered-files.ts'
import type { OrderFailure } from '../../../../src/bot/media/order/order-failure.ts'
import { createOrderStatus } from '../../../../src/bot/media/order/order-status.ts'
import type { Order } from '../../../../src/bot/media/order/order-store.ts'
import { createFailureMessages } from '../../../../src/bot/media/order/show-failure.ts'
import { MediaRefusedError } from '../../../../src/bot/telegram/errors.ts'
import type { FileSource, Outbox, OutgoingFile } from '../../../../src/bot/telegram/send.ts'
import { recogniseMedia } from '../../../../src/platform/http/media-type.ts'
import { systemClock } from '../../../../src/platform/time/clock.ts'
import { MP4 } from '../../../media-files.ts'
import { orderOf } from '../order-of.ts'

export const PUBLIC = 'https://clips.example.com/1.mp4'
export const PRIVATE = 'http://127.0.0.1:3000/1.mp4'
export const FILE = { type: 'video', fileId: 'BAACAg' } as const
export const REDELIVER_MS = 30_000
const NEVER = new AbortController().signal

type FetchResult = typeof fetchResult

/** Fetches what is no more than these bytes. */
export function fetches(bytes: Buffer): FetchResult {
  return async () => {
    const type = recogniseMedia(bytes)
    if (type === undefined) throw new TypeError('Cannot recognize the bytes')
    const readAt = async (position: number, length: number) =>
      bytes.subarray(position, position + length)
    const read = async function* () {
      yield new Uint8Array(bytes)
    }
    return { type, file: { bytes: bytes.length, read, readAt, close: async () => {} } }
  }
}

function nameOf(source: FileSource): string {
  if ('url' in source) return source.url
  return 'fileName' in source ? source.fileName : source.fileId
}

/** A ready order and an outbox that records what it sends; messages are numbered from 101. */
export function scene({
  refuses = [],
  fetchResult = fetches(MP4),
  onAlbum = () => {},
  ...facts
}: {
  refuses?: ('url' | 'bytes')[]
  fetchResult?: FetchResult
  onAlbum?: () => void
} & Partial<Order>) {
  let order = orderOf({ state: 'ready', taskId: 1, resultUrls: [PUBLIC], ...facts })
  const files: OutgoingFile[] = []
  const albums: (readonly OutgoingFile[])[] = []
  const texts = new Map<number, string>()
  const removed: number[] = []
  const fetched: string[] = []
  const failures: OrderFailure[] = []
  const ended: string[] = []
  let messageId = 100
  const refuseAny = (given: readonly OutgoingFile[]) => {
    const isRefused = given.some(({ source }) => refuses.some((kind) => kind in source))
    if (isRefused) throw new MediaRefusedError('refused')
  }
  const outbox = {
    async send({ chatId, ...body }) {
      texts.set(++messageId, 'text' in body ? body.text : '')
      return { chatId, messageId }
    },
    async edit({ messageId }, text) {
      texts.set(messageId, String(text))
      return 'shown'
    },
    async remove({ messageId }) {
      removed.push(messageId)
    },
    editInterim: async () => 'dropped',
    async editToMedia(_target, file) {
      files.push(file)
      refuseAny([file])
      return FILE
    },
    async sendMedia({ chatId, files }, options) {
      await options?.onAttempt?.()
      albums.push(files)
      refuseAny(files)
      onAlbum()
      const messageIds = files.map(() => ++messageId)
      return { chatId, messageIds, files: files.map(({ type }) => ({ ...FILE, type })) }
    },
  } satisfies Pick<Outbox, 'send' | 'edit' | 'editInterim' | 'editToMedia' | 'sendMedia' | 'remove'>
  const change = async (data: Partial<Order>) => {
    order = { ...order, ...data }
    return order
  }
  const store: ResultDeliveryDeps['store'] &
    Parameters<typeof createOrderStatus>[0]['store'] &
    Parameters<typeof createFailureMessages>[0]['store'] = {
    setStatusMessage: (_order, shown) => change(shown),
    setStatusDue: async () => {},
    setResultMessage: (_order, resultMessageId) => change({ resultMessageId }),
    forgetMessage: (_order, messageId) =>
      change(
        order.resultMessageId === messageId ? { resultMessageId: null } : { statusMessageId: 0 },
      ),
    setSending: async (_order, isSending) =>
      void (await change({ sendingSince: isSending ? new Date() : null })),
    addDelivered: (_order, added) =>
      change({ deliveredFiles: [...deliveredFilesOf(order), ...added], sendingSince: null }),
    putOff: () => change({ failedDeliveries: order.failedDeliveries + 1 }),
    park: () => change({ parkedAt: new Date() }),
    async fail(_order, failure) {
      failures.push(failure)
      return change({ state: 'failed', errorCode: failure.code })
    },
    setDelivered(_order, deliveredFiles) {
      ended.push('delivered')
      return change({ state: 'delivered', deliveredFiles })
    },
    end() {
      ended.push('failed')
      return change({})
    },
  }
  const log = pino({ level: 'silent' })
  const timings = { statusMs: 15_000, cancelMs: 3_000, inPlaceMs: 0, redeliverMs: REDELIVER_MS }
  const ownTexts = createTexts()
  const againButtons = createAgainButtons({
    prices: { priceOf: () => undefined, isOffered: () => true },
    texts: ownTexts,
  })
  const shared = { texts: ownTexts, againButtons, log, clock: systemClock, signal: NEVER }
  const own = { store, outbox, ...shared }
  const status = createOrderStatus({ ...own, ...timings })
  const giving = createResultGiving({
    ...own,
    guard: { allow: new Set() },
    fetchResult: async (url, rules) => {
      fetched.push(url)
      return fetchResult(url, rules)
    },
  })
  const results = createResultDelivery({
    ...own,
    ...timings,
    giving,
    status,
  })
  const failureMessages = createFailureMessages({ ...own, status })
  return {
    deliver,
    files,
    albums,
    texts,
    removed,
    fetched,
    failures,
    ended,
    order: () => order,
    sources: () => files.map(({ source }) => nameOf(source)),
    albumSources: () => albums.map((album) => album.map(({ source }) => nameOf(source))),
  }

  async function deliver(): Promise<number | undefined> {
    const dueInMs = await results.show(order)
    return dueInMs === 0 ? failureMessages.show(order) : dueInMs
  }
}
