import { expect, test } from 'vitest'
import { json } from './fake-service.ts'
import { CHARGE, createMediaSetup, USER_ID, waitFor } from './media-setup.ts'

const REVERSAL = { ...CHARGE, amountMicroRub: -40_000_000n }
const WRITE_OFF = { ...REVERSAL, writtenOff: true }

test('an order becomes one video in the chat, which notifies its user, charged once', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')
  service.succeeds(1)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  const [, video, ...rest] = playground.transcript(USER_ID)
  expect(rest).toEqual([])
  const sent = playground.calls.filter(({ method }) => method === 'sendMessage')
  expect(sent.map(({ params }) => [params.text, params.disable_notification])).toEqual([
    ['5 s, 720p, horizontal — ₽40.00\nAccepted, on its way to be made.', 'true'],
    ['Your video is ready.', undefined],
  ])
  expect(video).toMatchObject({
    replyToMessageId: given.replyToMessageId,
    caption: 'a fox in the snow\n₽40.00',
    video: { width: 1280, height: 720, duration: 5, supportsStreaming: true, bytes: service.video },
  })
  expect(order.deliveredFiles).toEqual([{ type: 'video', fileId: video?.video?.fileId }])
  expect(service.creations).toEqual([{ key: expect.any(String), body: given.media.request }])
  expect(await charges()).toEqual([CHARGE])
})

test('a video that is there at once takes the place of the order’s message', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess({ inPlaceMs: 3600_000 })
  const given = command()

  await orders.create(given)
  const { statusMessageId } = await waitForOrder(given, ({ state }) => state === 'generating')
  service.succeeds(1)
  await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  const [, video, ...rest] = playground.transcript(USER_ID)
  expect(rest).toEqual([])
  expect(video).toMatchObject({ id: statusMessageId, video: { bytes: service.video } })
  expect(playground.calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(1)
})

test('a command that is handled twice makes one order', async () => {
  const { database, playground, service, startProcess, command, waitForOrder } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()

  await Promise.all([orders.create(given), orders.create(given)])
  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')

  expect(await database.prisma.order.count()).toBe(1)
  expect(service.creations).toHaveLength(1)
  expect(playground.transcript(USER_ID)).toHaveLength(2)
})

test('a task that fails is reported and its charge taken back once', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.fails(1, { code: 501, message: 'The description names a real person' })

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: 501 })
  expect(await charges()).toEqual([CHARGE, REVERSAL])
  const [, told, ...rest] = playground.transcript(USER_ID)
  expect(rest).toEqual([])
  expect(told?.text).toBe(
    '5 s, 720p, horizontal\nThe video couldn’t be made. You don’t pay for it (₽40.00). The reason given:\nThe description names a real person',
  )
})

test.each([
  [422, { detail: [{ loc: ['body', 'prompt'], msg: 'is not allowed' }] }, 'prompt: is not allowed'],
  [502, { detail: 'The provider said no' }, 'order couldn’t be started'],
])('a creation refused with %d is reported and charged nothing', async (status, body, words) => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.creationAnswers.push(() => json(status, body))

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: status, taskId: null })
  expect(playground.transcript(USER_ID).at(-1)?.text).toContain(words)
  expect(await charges()).toEqual([])
  expect(service.creations).toHaveLength(1)
})

test('admins hear of an account that is too empty for an order', async () => {
  const { alerts, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.creationAnswers.push(() => json(402, { detail: 'Needs 40, has 3' }))

  await orders.create(given)
  await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(alerts).toEqual(['insufficient_balance'])
})

test('a creation answered with 429 waits in the queue, and its user sees it', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const [first, second] = [command(), command()]
  let isBusy = true
  const busy = json(429, { detail: 'Too many' }, { 'retry-after': '3' })
  service.decideCreations((creation) => (isBusy ? busy : service.created(creation)))

  await orders.create(first)
  await orders.create(second)
  await playground.waitFor(() => {
    const texts = playground.transcript(USER_ID).map(({ text }) => text ?? '')
    return (
      texts.some((text) => text.includes('next in the queue')) &&
      texts.some((text) => text.includes('Place in the queue: 2'))
    )
  })
  expect(await charges()).toEqual([])
  isBusy = false

  await waitForOrder(first, ({ state }) => state === 'generating')
  await waitForOrder(second, ({ state }) => state === 'generating')
  expect(await charges()).toEqual([CHARGE, CHARGE])
})

test.each([['503', json(503, { detail: 'Come back later' }, { 'retry-after': '1' })]])(
  'orders of a service that answers %s wait, and their users read that it is away, not a position',
  async (_status, away) => {
    const { playground, service, startProcess, command, charges } = await createMediaSetup()
    const { orders } = await startProcess()
    const given = [command(), command()]
    service.decideCreations(() => away)

    for (const one of given) await orders.create(one)
    const aways = () =>
      playground.transcript(USER_ID).filter(({ text }) => text?.includes('be made right now'))
    await playground.waitFor(() => aways().length === 2)

    expect(service.creations.length).toBeLessThanOrEqual(given.length)
    expect(await charges()).toEqual([])
  },
)

test('orders that the service put off are each handed over once when it takes them again', async () => {
  const { database, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = Array.from({ length: 5 }, () => command())
  const busy = json(429, { detail: 'Too many' }, { 'retry-after': '1' })
  service.creationAnswers.push(
    () => busy,
    () => busy,
    () => busy,
  )

  for (const one of given) await orders.create(one)
  for (const one of given) await waitForOrder(one, ({ state }) => state === 'generating')

  const rows = await database.prisma.order.findMany({ orderBy: { id: 'asc' } })
  const keys = service.creations.slice(3).map(({ key }) => key)
  expect(rows).toHaveLength(5)
  expect(keys.toSorted()).toEqual(rows.map(({ idempotencyKey }) => idempotencyKey).toSorted())
})

test.each([
  ['a 404', json(404, { detail: 'Not found' })],
  [
    'a cut connection',
    (response: Parameters<ReturnType<typeof json>>[0]) => void response.destroy(),
  ],
])('%s to one look ends nothing', async (_name, answer) => {
  const { service, startProcess, command, waitForOrder, charges } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.pollAnswers.push(answer)
  service.succeeds(1)

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'delivered')

  expect(await charges()).toEqual([CHARGE])
})

test('a task that the service goes on denying is given up and its charge written off', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.pollAnswers.push(...Array.from({ length: 5 }, () => json(404, { detail: 'Not found' })))

  await orders.create(given)
  await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(await charges()).toEqual([CHARGE, WRITE_OFF])
  expect(playground.transcript(USER_ID).at(-1)?.text).toContain('This order was lost')
})

test('an order whose user cannot be reached is not handed over', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  playground.blocks(USER_ID)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order.state).toBe('failed')
  expect(service.creations).toEqual([])
  expect(await charges()).toEqual([])
})

test('an order that is past the deadline is reported, its charge written off, and admins hear of it', async () => {
  const { playground, alerts, rules, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  await rules.set({ deadlineMs: 1 }, { adminId: 1 })
  const { orders } = await startProcess()
  const given = command()

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: -2 })
  expect(await charges()).toEqual([CHARGE, WRITE_OFF])
  expect(playground.transcript(USER_ID).at(-1)?.text).toContain('I stopped waiting')
  expect(alerts).toEqual(['order_written_off'])
})

test('of one user no more orders than the limit are at the service, over two processes, and all are made', async () => {
  const { service, startProcess, command, waitForOrder } = await createMediaSetup({
    parallelMax: 2,
  })
  const processes = [await startProcess(), await startProcess()]
  const given = Array.from({ length: 10 }, () => command())
  const atService: number[] = []

  await Promise.all(given.map((one, index) => processes[index % 2]?.orders.create(one)))
  for (let made = 0; made < given.length; made++) {
    await waitFor(() => service.creations.length > made)
    atService.push(service.creations.length - made)
    service.succeeds(made + 1)
  }

  for (const one of given) await waitForOrder(one, ({ state }) => state === 'delivered')
  expect(service.creations).toHaveLength(given.length)
  expect(Math.max(...atService)).toBe(2)
})

test('the user of an order beyond the limit reads that it waits, and it goes on at once when another ends', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup({
    parallelMax: 1,
  })
  const { orders } = await startProcess()
  const [first, second, third] = [command(), command(), command()]
  await orders.create(first)
  await waitForOrder(first, ({ state }) => state === 'generating')

  await orders.create(second)
  await orders.create(third)
  const says = (words: string) =>
    playground.transcript(USER_ID).filter(({ text }) => text?.includes(words)).length
  await playground.waitFor(() => says('Waiting until one of your other orders is done.') === 2)
  expect(service.creations).toHaveLength(1)
  service.fails(1, { code: 1, message: 'No' })

  await waitForOrder(second, ({ state }) => state === 'generating')
  await waitForOrder(third, ({ state }) => state === 'waiting')
  service.succeeds(2)
  await waitForOrder(third, ({ state }) => state === 'generating')
})

test('an order of a kind that the service does not make ends in a sentence', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  service.decideCreations(() => json(404, { detail: 'Not found' }))
  const { orders } = await startProcess()
  const media = { kind: 'image', request: { prompt: 'a fox' } } as const
  const given = { ...command(), media, label: 'imagegen' }

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: 404 })
  expect(await charges()).toEqual([])
  expect(playground.transcript(USER_ID).at(-1)?.text).toBe(
    'image, square\nNothing of this kind can be made here. Nothing was ordered or charged.',
  )
})
