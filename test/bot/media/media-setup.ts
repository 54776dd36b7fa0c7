import { expect, onTestFinished } from 'vitest'
import type { Trouble } from '../../../src/bot/admin/alerts.ts'
import { Orders } from '../../../src/bot/media/orders.ts'
import type { OrdersApp, OrderTimings } from '../../../src/bot/media/orders-app.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { messageOrigin } from '../../../src/bot/telegram/addressing.ts'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { createServiceClient } from '../../../src/contract/client/service-client.ts'
import { hasCode } from '../../../src/contract/client/service-error.ts'
import {
  LeaseLostError,
  registerInstance,
} from '../../../src/platform/database/instance/instance.ts'
import { startSweep } from '../../../src/platform/database/instance/sweep.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createFastClock } from '../../platform/time/fast-clock.ts'
import { startFakeService } from './fake-service.ts'
import { createOrdersApp } from './orders-app.ts'
import { createOrder, type NewOrder } from './store-order.ts'

export const USER_ID = 501

/** Telegram bears everything here, so what paces the calls to it need not take its time. */
const SEND_PACE = 20
const STOP_MS = 1_000

/** A user, Telegram, a service, and any number of processes of the bot between them. */
export async function createMediaSetup({ videosPerMinute = 100, parallelMax = 100 } = {}) {
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  const playground = createPlayground({ flood: 'off' })
  const { apiRoot } = await playground.listen()
  const service = await startFakeService()
  const api = createTelegramApi({ token: playground.token, apiRoot })
  playground.addUser({ id: USER_ID, firstName: 'Anna', languageCode: 'en' })
  await new StoredSettings(database.prisma).set({ parallelMax }, { adminId: 1 })
  const alerts: Trouble[] = []
  const stops: (() => Promise<unknown>)[] = []
  let sent = 0
  onTestFinished(async () => {
    for (const stop of stops.reverse()) await stop()
    await playground.close()
    await service.close()
    await database.close()
  })
  return {
    database,
    playground,
    api,
    service,
    alerts,
    rules: new StoredSettings(database.prisma),
    startProcess,
    command,
    waitForOrder,
    charges,
  }

  async function startProcess(
    timings: Partial<OrderTimings> = {},
    parts: Pick<Partial<OrdersApp>, 'callbackRoot'> = {},
  ) {
    let hasCrashed = false
    const own = openTestDatabase({ url })
    const instance = await registerInstance({ url, onError: () => {} })
    const notifications = instance.session
    const client = createServiceClient({
      baseUrl: service.baseUrl,
      apiKey: 'key',
      async whenAllowed() {
        await instance.leased()
        if (hasCrashed) throw new LeaseLostError(instance.id)
        sent += 1
      },
      clock: { sleep: async () => {} },
    })
    const shared = createOrdersApp(own, { perMinute: videosPerMinute })
    const sweep = startSweep(notifications, shared.log)
    const orders = new Orders({
      ...shared,
      ...parts,
      leaseOwner: instance.id,
      service: client,
      outbox: createOutbox({ api, clock: createFastClock(SEND_PACE) }),
      alerts: {
        report: (trouble) => void alerts.push(trouble),
        observe: (_kind, error) => {
          if (hasCode(error, 'insufficient_balance')) alerts.push(error.code)
        },
      },
      notifications,
      sweep,
      guard: { allow: new Set([new URL(service.baseUrl).host]) },
      timings: { ...shared.timings, ...timings },
    })
    await orders.open()
    let isOver = false
    const close = async () => {
      await sweep.stop()
      await client.close()
      await own.close()
    }
    const stop = async () => {
      if (isOver) return
      isOver = true
      await orders.stop(STOP_MS)
      await instance.release()
      await close()
    }
    stops.push(stop)
    const create = async (order: NewOrder) => {
      const orderId = await createOrder(shared, order)
      orders.start(orderId)
      return { orderId }
    }
    return {
      orders: Object.assign(orders, { create }),
      stop,
      /** The process is gone as far as the database knows; what it has under way may yet answer. */
      async crash() {
        hasCrashed = true
        isOver = true
        // Nothing goes out any more, and what did has arrived: on a busy machine it would after those who take over.
        await waitFor(() => service.requests() === sent)
        await instance.release()
        stops.push(async () => {
          await orders.stop(0)
          await close()
        })
      },
    }
  }

  function command({ userId = USER_ID } = {}): NewOrder {
    const { message_id } = playground.userSends({ userId, text: '/video a fox in the snow' })
    return {
      user: { id: userId, firstName: 'Anna', languageCode: 'en' },
      chatId: userId,
      threadId: 0,
      originKey: messageOrigin(userId, message_id),
      replyToMessageId: message_id,
      media: {
        kind: 'video',
        request: {
          prompt: 'a fox in the snow',
          duration: 5,
          quality: '720p',
          aspect_ratio: '1280:720',
        },
      },
      label: 'vidgen-720p-5s',
      priceMicroRub: 40_000_000n,
    }
  }

  async function waitForOrder(
    { originKey }: NewOrder,
    isThere: (order: Awaited<ReturnType<typeof readOrder>>) => boolean,
  ) {
    return waitFor(async () => {
      const order = await readOrder(database, originKey)
      return isThere(order) ? order : undefined
    })
  }

  async function charges() {
    const rows = await database.prisma.charge.findMany({ orderBy: { id: 'asc' } })
    return rows.map(({ kind, amountMicroRub, estimated, writtenOff }) => {
      return { kind, amountMicroRub, estimated, writtenOff }
    })
  }
}

/** What an order of `command()` is charged. */
export const CHARGE = {
  kind: 'video',
  amountMicroRub: 40_000_000n,
  estimated: false,
  writtenOff: false,
}

export type MediaSetup = Awaited<ReturnType<typeof createMediaSetup>>

function readOrder({ prisma }: TestDatabase, originKey: string) {
  return prisma.order.findUniqueOrThrow({ where: { originKey } })
}

const LOOK_MS = 20
const WAIT_MS = 50_000

/** Looks again and again; for what no event reports. */
export async function waitFor<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
) {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > until) throw new Error(`Nothing to see within ${WAIT_MS} ms: ${look}`)
    await new Promise((done) => setTimeout(done, LOOK_MS))
  }
}

/** Has the task of an order succeed, and expects one video and one charge of it. */
export async function expectOneVideo(setup: MediaSetup, given: NewOrder) {
  setup.service.succeeds(1)
  const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  expect(order.state).toBe('delivered')
  const videos = setup.playground.transcript(USER_ID).filter(({ video }) => video !== undefined)
  expect(videos).toHaveLength(1)
  expect(await setup.charges()).toEqual([CHARGE])
  return order
}
