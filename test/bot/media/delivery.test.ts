import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { MP4 } from '../../media-files.ts'
import { type Answer, json } from './fake-service.ts'
import { CHARGE, createMediaSetup, USER_ID, waitFor } from './media-setup.ts'

test('several videos are one album in the topic of their order, with what Telegram needs to send them again', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const chatId = -1_000_000_000_601
  playground.addGroup({ id: chatId, title: 'Foxes', members: [USER_ID], isForum: true })
  const threadId = playground.addTopic(chatId, 'Videos')
  const { orders } = await startProcess()
  const given = { ...command(), chatId, threadId }
  service.succeeds(1, service.videoUrl, service.videoUrl, service.videoUrl)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  const videos = playground.transcript(chatId).filter(({ video }) => video)
  expect(videos).toHaveLength(3)
  expect(new Set(videos.map(({ mediaGroupId }) => mediaGroupId)).size).toBe(1)
  expect(new Set(videos.map((video) => video.threadId))).toEqual(new Set([threadId]))
  expect(order.deliveredFiles).toEqual(
    videos.map(({ video }) => ({ type: 'video', fileId: video?.fileId })),
  )
})

test('an album whose answer is lost stands in the chat once, and the user reads why', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  playground.fault({ kind: 'dropAfter', method: 'sendMediaGroup' })
  service.succeeds(1, service.videoUrl, service.videoUrl)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'delivered', deliveredFiles: [] })
  const messages = playground.transcript(USER_ID)
  expect(messages.filter(({ video }) => video)).toHaveLength(2)
  expect(messages.filter(({ text }) => text?.includes('don’t know whether'))).toHaveLength(1)
})

test('an album that its process was sending when it ended is not sent by the next one', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const first = await startProcess()
  const given = command()
  const held = playground.fault({ kind: 'holdAfter', method: 'sendMediaGroup' })
  service.succeeds(1, service.videoUrl, service.videoUrl)
  await first.orders.create(given)
  await playground.waitFor((it) => it.transcript(USER_ID).some(({ video }) => video))

  await first.crash()
  await startProcess()
  await waitForOrder(given, ({ endedAt }) => endedAt !== null)
  held.release()

  const messages = playground.transcript(USER_ID)
  expect(messages.filter(({ video }) => video)).toHaveLength(2)
  expect(messages.filter(({ text }) => text?.includes('don’t know whether'))).toHaveLength(1)
})

const GROUP = -601
async function createAbsence({ chatId = USER_ID } = {}) {
  const setup = await createMediaSetup()
  const { playground, service, startProcess, command, waitForOrder } = setup
  playground.addGroup({ id: GROUP, title: 'Foxes', members: [USER_ID] })
  const { orders } = await startProcess()
  const given = { ...command(), chatId }
  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'generating')
  return { ...setup, orders, given, isParked }

  async function isParked() {
    service.succeeds(1)
    return waitForOrder(given, ({ parkedAt }) => parkedAt !== null)
  }
}

test('a video for a user who blocked the bot is kept, and given once when they return', async () => {
  const { playground, orders, given, isParked, waitForOrder, charges } = await createAbsence()
  playground.blocks(USER_ID)
  expect(await isParked()).toMatchObject({ state: 'ready', endedAt: null })

  playground.unblocks(USER_ID)
  await orders.giveKept(USER_ID)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'delivered', parkedAt: null })
  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
  expect(await charges()).toEqual([CHARGE])
})

test.each(['kicked', 'left'] as const)(
  'a video for a group that the bot has %s is kept, and given once when it is back',
  async (status) => {
    const { playground, orders, given, isParked, waitForOrder } = await createAbsence({
      chatId: GROUP,
    })
    playground.setBotStatus(GROUP, status)
    await isParked()

    playground.setBotStatus(GROUP, 'member')
    await orders.giveKept(GROUP)
    await waitForOrder(given, ({ state }) => state === 'delivered')

    expect(playground.transcript(GROUP).filter(({ video }) => video)).toHaveLength(1)
  },
)

test('who returns while the last refusal is on its way is given the video at once', async () => {
  const { playground, service, orders, given, waitForOrder } = await createAbsence()
  playground.blocks(USER_ID)
  const held = playground.fault({ kind: 'holdAfter', method: 'sendMessage' })
  const refusals = () => playground.calls.filter(({ body }) => body?.ok === false).length
  service.succeeds(1)
  await waitFor(() => refusals() === 1)

  playground.unblocks(USER_ID)
  await orders.giveKept(USER_ID)
  held.release()
  await waitForOrder(given, ({ state }) => state === 'delivered')

  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
})

const BROKEN = json(500, {})

async function createDelivered({ videos = 1 } = {}) {
  const setup = await createMediaSetup()
  const { playground, service, database, startProcess, command, waitForOrder } = setup
  playground.addGroup({ id: GROUP, title: 'Foxes', members: [USER_ID] })
  const { orders } = await startProcess()
  const given = command()
  service.succeeds(1, ...Array<string>(videos).fill(service.videoUrl))
  await orders.create(given)
  const { id } = await waitForOrder(given, ({ state }) => state === 'delivered')
  return { ...setup, again, setFiles, shownIn }

  function again() {
    return orders.sendAgain(id, { chatId: GROUP })
  }

  function setFiles(deliveredFiles: { type: string; fileId: string }[]) {
    return database.prisma.order.update({ where: { id }, data: { deliveredFiles } })
  }

  function shownIn(chatId: number) {
    return playground.transcript(chatId).flatMap(({ video }) => video ?? [])
  }
}

test.each([1, 11])(
  '%i results are sent again as Telegram holds them, none is fetched',
  async (videos) => {
    const { service, charges, again, shownIn } = await createDelivered({ videos })
    const before = await charges()
    service.videoAnswers.push(BROKEN)

    await again()

    const uniqueIds = (chatId: number) => shownIn(chatId).map(({ uniqueId }) => uniqueId)
    expect(uniqueIds(GROUP)).toEqual(uniqueIds(USER_ID))
    expect(uniqueIds(GROUP)).toHaveLength(videos)
    expect(service.videoAnswers).toHaveLength(1)
    expect(await charges()).toEqual(before)
  },
)

test.each([['does not hold any more', [{ type: 'video', fileId: 'BAACAgAAAA' }]]])(
  'a result that Telegram %s is sent again from its link',
  async (_name, files) => {
    const { again, setFiles, shownIn, service } = await createDelivered()
    await setFiles(files)

    await again()

    expect(shownIn(GROUP)).toMatchObject([{ bytes: service.video }])
  },
)

test('a result that is nowhere any more is answered with a sentence', async () => {
  const { playground, again, setFiles, service } = await createDelivered()
  await setFiles([])
  service.videoAnswers.push(BROKEN)

  await again()

  expect(playground.transcript(GROUP)).toMatchObject([
    { text: expect.stringContaining('I can’t get this video') },
  ])
})

test('what may have been sent again is not sent a third time', async () => {
  const { playground, again, shownIn } = await createDelivered()
  playground.fault({ kind: 'dropAfter', method: 'sendVideo' })

  await again()

  expect(shownIn(GROUP)).toHaveLength(1)
})

const MIB = 2 ** 20
const PIECE = Buffer.alloc(64 * 1024)
const PRICE = 40_000_000n

test('a video of 45 MB is uploaded whole', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.videoAnswers.push(videoOf(45 * MIB))
  service.succeeds(1)

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'delivered')

  const { video } = playground.transcript(USER_ID).at(-1) ?? {}
  expect(video?.size).toBe(45 * MIB)
  expect(video?.bytes?.subarray(0, MP4.length)).toEqual(MP4)
})

test('a link that fails three times and works then gives the video once', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.videoAnswers.push(...Array(3).fill(json(503, { detail: 'Not now' })))
  service.succeeds(1)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'delivered', failedDeliveries: 3 })
  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
})

test.each([
  ['denied for a while', 403, 6],
  ['called gone', 410, 1],
])(
  'a link that is %s is reported, and charges agree with the service without what is written off',
  async (_name, status, tries) => {
    const { playground, service, alerts, startProcess, command, waitForOrder, charges } =
      await createMediaSetup()
    const { orders } = await startProcess({ redeliverMs: 10 })
    const [expired, good] = [command(), command()]
    service.videoAnswers.push(...Array(tries).fill(json(status, {})))
    service.succeeds(1)
    service.succeeds(2)

    await orders.create(expired)
    await waitForOrder(expired, ({ endedAt }) => endedAt !== null)
    await orders.create(good)
    await waitForOrder(good, ({ state }) => state === 'delivered')

    expect(service.videoAnswers).toEqual([])
    expect(playground.transcript(USER_ID).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('You don’t pay for it (₽40.00)'),
    )
    expect(alerts).toEqual(['order_written_off'])
    const rows = await charges()
    const sumOf = (counted: typeof rows) =>
      counted.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
    expect(rows.filter(({ writtenOff }) => writtenOff)).toHaveLength(1)
    // The service made two videos and keeps the price of both; the user pays for one.
    expect(sumOf(rows.filter(({ writtenOff }) => !writtenOff))).toBe(
      BigInt(service.creations.length) * PRICE,
    )
    expect(sumOf(rows)).toBe(PRICE)
  },
)

/** A video of so many bytes, as its length names before they come. */
function videoOf(bytes: number, onPiece: (bytes: number) => void = () => {}): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes })
    const pieces = Readable.from(piecesOf(bytes), { objectMode: false })
    // Who reads only the head ends the connection.
    await pipeline(pieces, response).catch(() => {})
  }

  function* piecesOf(all: number): Generator<Buffer> {
    yield MP4
    for (let left = all - MP4.length; left > 0; left -= PIECE.length) {
      onPiece(PIECE.length)
      yield PIECE.subarray(0, Math.min(left, PIECE.length))
    }
  }
}
