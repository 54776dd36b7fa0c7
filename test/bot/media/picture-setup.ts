import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { hashOfPictureUrl } from '../../../src/bot/media/addresses.ts'
import type { GivenPicture } from '../../../src/bot/media/pictures.ts'
import { createPictures } from '../../../src/bot/media/pictures.ts'
import {
  createPicturesPlugin,
  createStoredPictures,
} from '../../../src/bot/media/stored-pictures.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createFileDownload } from '../../../src/bot/telegram/download-file.ts'
import { createHttpServer } from '../../../src/process/http-server.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { openPlayground } from '../../playground/open-playground.ts'
import { createOrdersApp } from './orders-app.ts'
import { createOrder } from './store-order.ts'

export const ROOT = 'https://bot.example.org'
export const ANNA = 501

/** Pictures of a bot on the playground, and the route that serves them. */
export async function setUpPictures({ hasRoot = true } = {}) {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  const database = openTestDatabase({ url })
  const { playground, apiRoot } = await openPlayground()
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  const { token } = playground
  const log = pino({ level: 'silent' })
  const api = createTelegramApi({ token, apiRoot })
  const files = createFileDownload({ api, token, apiRoot, log })
  const stored = createStoredPictures(database)
  const { signal } = new AbortController()
  const pictures = createPictures({
    findRoot: () => (hasRoot ? ROOT : undefined),
    stored,
    download: files.download,
    signal,
  })
  const http = createHttpServer({ log })
  await http.register(createPicturesPlugin(stored))
  onTestFinished(async () => {
    await http.close()
    await files.close()
    await database.close()
  })
  const { prisma } = database
  return { ...pictures, stored, prisma, clock, send, fetch, order }

  function send(bytes: Buffer, facts: Partial<GivenPicture> = {}): GivenPicture {
    const { photo } = playground.userSends({ userId: ANNA, photo: { bytes } })
    const largest = photo?.at(-1)
    if (largest === undefined) throw new Error('The playground made no photo of it')
    const { file_id: fileId } = largest
    const unknown = { sizeBytes: undefined, width: undefined, height: undefined }
    return { type: 'picture', fileId, ...unknown, ...facts } as GivenPicture
  }

  async function fetch(
    imageUrl: string,
    { method = 'GET' }: { method?: 'GET' | 'HEAD' | 'POST' } = {},
  ) {
    const { pathname } = new URL(imageUrl)
    const { statusCode: status, ...answer } = await http.inject({ method, url: pathname })
    return { status, headers: answer.headers, bytes: answer.rawPayload }
  }

  async function order(imageUrl: string): Promise<bigint> {
    return createOrder(createOrdersApp(database), {
      user: { id: ANNA, firstName: 'Anna' },
      chatId: ANNA,
      threadId: 0,
      originKey: randomBytes(8).toString('hex'),
      replyToMessageId: 7,
      media: { kind: 'video', request: { prompt: 'it wakes up', image_url: imageUrl } },
      label: 'vidgen-720p-5s',
      priceMicroRub: 40_000_000n,
      pictureHash: hashOfPictureUrl(imageUrl),
    })
  }
}

/** A PNG by its head, with any bytes after it. */
export function pngOf(width: number, height: number, sizeBytes = 1000): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([head, size, randomBytes(sizeBytes - head.length - size.length)])
}
