import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Order } from '../../../../src/bot/media/order/order-store.ts'
import { createCallbackUrls } from '../../../../src/bot/media/task/callback-urls.ts'
import { createTaskCreation } from '../../../../src/bot/media/task/create-task.ts'
import type { ServiceClient } from '../../../../src/contract/client/service-client.ts'
import { ServiceError } from '../../../../src/contract/client/service-error.ts'
import { orderOf } from '../order-of.ts'

const KEY = '3b241101-e2bb-4255-8caf-4136c566a962'
const IMAGE = orderOf({ kind: 'image', params: { prompt: 'a fox' }, idempotencyKey: KEY })
const VIDEO = orderOf({ idempotencyKey: KEY })
const ROOT = 'https://bot.example.org'

test.each<[string, Order, string | undefined, string | undefined]>([
  ['a picture, at the order’s own address', IMAGE, ROOT, `${ROOT}/callbacks/${KEY}`],
  ['a clip: clips have no callbacks', VIDEO, ROOT, undefined],
  ['a picture where the service cannot reach the bot', IMAGE, undefined, undefined],
])('a callback is asked for with %s', async (_, order, root, callbackUrl) => {
  const { create, asked } = setUp({ hasRoot: root !== undefined })

  const created = await create(order)

  expect(asked).toEqual([{ idempotencyKey: KEY, callbackUrl }])
  expect(created).toEqual({ taskId: 42, expectsCallback: callbackUrl !== undefined })
})

test('a service that refuses the address is asked without one, and so are all orders after it', async () => {
  const { create, asked } = setUp({ refusal: 'X-Callback-Url: must have a public host' })

  const created = [await create(IMAGE), await create(IMAGE)]

  expect(asked.map(({ callbackUrl }) => callbackUrl !== undefined)).toEqual([true, false, false])
  expect(created).toEqual(Array(2).fill({ taskId: 42, expectsCallback: false }))
})

function setUp({ hasRoot = true, refusal }: { hasRoot?: boolean; refusal?: string } = {}) {
  const asked: NonNullable<Parameters<ServiceClient['createTask']>[1]>[] = []
  const service: Pick<ServiceClient, 'createTask'> = {
    async createTask(_media, options = {}) {
      asked.push(options)
      if (refusal === undefined || options.callbackUrl === undefined) return { taskId: 42 }
      throw new ServiceError('invalid_request', 'Cannot create image: refused', {
        status: 422,
        detail: refusal,
      })
    },
  }
  const log = pino({ level: 'silent' })
  const callbackUrls = createCallbackUrls({ root: hasRoot ? ROOT : undefined, log })
  return { create: createTaskCreation({ service, callbackUrls }), asked }
}
