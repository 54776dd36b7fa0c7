import { expect, test } from 'vitest'
import { recordCallback } from '../../../src/bot/media/callbacks.ts'
import { gated, json, lost } from './fake-service.ts'
import { createMediaSetup, type MediaSetup, USER_ID, waitFor } from './media-setup.ts'
import type { NewOrder } from './store-order.ts'

test('a task that a callback and a poll bring at once is delivered once', async () => {
  const setup = await createMediaSetup()
  await setup.startProcess()
  const { service } = setup
  const polled = gated(json(200, successOf(service)))
  service.pollAnswers.push(polled.answer)
  const order = await createOrder(setup)
  await waitFor(() => service.polls.length === 1)

  const recorded = await Promise.all([callBack(setup, order), callBack(setup, order)])
  polled.open()

  await setup.waitForOrder(order, ({ state }) => state === 'delivered')
  expect(recorded.toSorted()).toEqual([false, true])
  expect(videos(setup)).toBe(1)
  expect(service.polls).toHaveLength(1)
  expect(await setup.charges()).toHaveLength(1)
})

test('a callback that comes before the answer to its creation loses nothing', async () => {
  const setup = await createMediaSetup()
  const { service } = setup
  const created = gated(json(200, { task_id: 1 }))
  service.creationAnswers.push(() => created.answer)
  const order = await createOrder(setup, { pollMs: 3_600_000 })
  await waitFor(() => service.creations.length === 1)

  await callBack(setup, order)
  created.open()

  await setup.waitForOrder(order, ({ state }) => state === 'delivered')
  expect(videos(setup)).toBe(1)
  expect(service.polls).toEqual([])
})

test('a callback names the task of a creation that had no answer: it is neither repeated nor given up', async () => {
  const setup = await createMediaSetup()
  const { service } = setup
  const broken = gated(lost)
  service.creationAnswers.push(() => broken.answer)
  const order = await createOrder(setup)
  await waitFor(() => service.creations.length === 1)

  await callBack(setup, order)
  broken.open()

  await setup.waitForOrder(order, ({ state }) => state === 'delivered')
  expect(service.creations).toHaveLength(1)
  expect(await setup.charges()).toMatchObject([{ kind: 'video', estimated: false }])
})

const ROOT = 'https://bot.example.org'
const IMAGE = {
  media: { kind: 'image', request: { prompt: 'a fox' } },
  label: 'imagegen',
} as const

test('an image names the address of its order for the callback, a video none', async () => {
  const setup = await createMediaSetup()
  const { orders } = await setup.startProcess({}, { callbackRoot: ROOT })
  const given = [setup.command(), { ...setup.command(), ...IMAGE }]

  for (const one of given) {
    await orders.create(one)
    await setup.waitForOrder(one, ({ state }) => state === 'generating')
  }

  const [video, image] = setup.service.creations
  expect(video?.callbackUrl).toBeUndefined()
  expect(image?.callbackUrl).toBe(`${ROOT}/callbacks/${image?.key}`)
})

test('a service that refuses the address is asked without one, and so are all orders after it', async () => {
  const setup = await createMediaSetup()
  const { service } = setup
  const { orders } = await setup.startProcess({}, { callbackRoot: ROOT })
  service.decideCreations((creation) =>
    creation.callbackUrl === undefined
      ? service.created(creation)
      : json(422, { detail: 'X-Callback-Url: must have a public host' }),
  )
  const given = [1, 2].map(() => ({ ...setup.command(), ...IMAGE }))

  for (const one of given) {
    await orders.create(one)
    await setup.waitForOrder(one, ({ state }) => state === 'generating')
  }

  const named = service.creations.map(({ callbackUrl }) => callbackUrl !== undefined)
  expect(named).toEqual([true, false, false])
})

async function createOrder(
  setup: MediaSetup,
  timings: { pollMs?: number } = {},
): Promise<NewOrder> {
  const { orders } = await setup.startProcess(timings)
  const order = setup.command()
  await orders.create(order)
  return order
}

async function callBack({ database, service }: MediaSetup, { originKey }: NewOrder) {
  const where = { originKey }
  const { idempotencyKey: key } = await database.prisma.order.findUniqueOrThrow({ where })
  const body = { task_id: 1, code: 200, ...successOf(service) }
  return recordCallback(database.pool, { key, taskId: 1, body })
}

function successOf({ baseUrl }: MediaSetup['service']) {
  const url = `${new URL(baseUrl).origin}/video.mp4`
  return { status: 'success', result_urls: [url], error: null }
}

function videos({ playground }: MediaSetup): number {
  return playground.transcript(USER_ID).filter(({ video }) => video !== undefined).length
}
