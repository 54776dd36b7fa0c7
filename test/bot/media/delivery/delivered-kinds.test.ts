import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

test('several clips are one album in the topic of their order, with what Telegram needs to send them again', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const chatId = -1_000_000_000_601
  playground.addGroup({ id: chatId, title: 'Foxes', members: [USER_ID], isForum: true })
  const threadId = playground.addTopic(chatId, 'Clips')
  const { orders } = await startProcess()
  const given = { ...command(), chatId, threadId }
  service.succeeds(1, service.clipUrl, service.clipUrl, service.clipUrl)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  const clips = playground.transcript(chatId).filter(({ video }) => video)
  expect(clips).toHaveLength(3)
  expect(new Set(clips.map(({ mediaGroupId }) => mediaGroupId)).size).toBe(1)
  expect(new Set(clips.map((clip) => clip.threadId))).toEqual(new Set([threadId]))
  expect(order.deliveredFiles).toEqual(
    clips.map(({ video }) => ({ type: 'video', fileId: video?.fileId })),
  )
})

test('an album whose answer is lost stands in the chat once, and the user reads why', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  playground.fault({ kind: 'dropAfter', method: 'sendMediaGroup' })
  service.succeeds(1, service.clipUrl, service.clipUrl)

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
  service.succeeds(1, service.clipUrl, service.clipUrl)
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
