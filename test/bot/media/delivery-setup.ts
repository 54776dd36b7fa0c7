import { Delivery } from '../../../src/bot/media/deliver.ts'
import type { fetchResult } from '../../../src/bot/media/fetch-result.ts'
import type { OrderRows } from '../../../src/bot/media/order-rows.ts'
import type { Order, OrderFailure } from '../../../src/bot/media/orders-app.ts'
import { OrderStatus } from '../../../src/bot/media/status.ts'
import { TelegramError } from '../../../src/bot/telegram/errors.ts'
import type { FileSource, Outbox, OutgoingFile } from '../../../src/bot/telegram/send.ts'
import { recogniseMedia } from '../../../src/platform/http/media-type.ts'
import { MP4 } from '../../media-files.ts'
import { orderOf } from './order-of.ts'
import { createOrdersApp } from './orders-app.ts'

export const PUBLIC = 'https://videos.example.com/1.mp4'
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
    const read = async function* () {
      yield new Uint8Array(bytes)
    }
    return { type, file: { bytes: bytes.length, read, close: async () => {} } }
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
    if (isRefused)
      throw new TelegramError({ code: 'media_refused', chatId: 501, reason: 'refused' })
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
  const change = async (_order: Order, data: Partial<Order>) => {
    order = { ...order, ...data }
    return order
  }
  const rows = {
    change,
    end: async (_order: Order, data: Partial<Order> = {}) => {
      await change(order, data)
      ended.push(order.state)
    },
    fail: async (_order: Order, failure: OrderFailure) => {
      failures.push(failure)
      await change(order, { state: 'failed', errorCode: failure.code })
    },
  } as unknown as OrderRows
  const app = createOrdersApp(
    { prisma: { $queryRaw: async () => [{ now: new Date() }] }, pool: {} } as never,
    {
      outbox: outbox as never,
      fetchResult: async (url, rules) => {
        fetched.push(url)
        return fetchResult(url, rules)
      },
    },
  )
  const parts = {
    app: { ...app, timings: { ...app.timings, redeliverMs: REDELIVER_MS } },
    rows,
    status: new OrderStatus(app, rows, NEVER),
    stopping: NEVER,
    aborted: NEVER,
  }
  const delivery = new Delivery(parts)
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

  async function deliver(): Promise<number> {
    const waitMs = await delivery.deliver(order)
    if (order.state === 'failed') await parts.status.showFailure(order)
    return waitMs
  }
}
