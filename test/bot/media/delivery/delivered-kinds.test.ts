import { expect, test } from 'vitest'
import type { MediaRequest } from '../../../../src/contract/media.ts'
import { pngOf } from '../../../media-files.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

const PICTURE = pngOf({ width: 1024, height: 768 })
const MP3 = Buffer.from('ID3 and the frames of a song', 'latin1')
const WAV = Buffer.from('RIFF....WAVE and its samples', 'latin1')

const IMAGE: MediaRequest = { kind: 'image', request: { prompt: 'a fox' } }
const SOUND: MediaRequest = { kind: 'sound', request: { prompt: 'rain', duration: 7 } }

test.each([
  [IMAGE, PICTURE, 'photo', { width: 1024, height: 768 }],
  [IMAGE, pngOf({ width: 9_000, height: 200 }), 'document', { fileName: 'picture-1.png' }],
  [SOUND, MP3, 'audio', { fileName: 'sound-1.mp3', duration: 7, extra: { title: 'rain' } }],
  [SOUND, WAV, 'document', { fileName: 'sound-1.wav' }],
] as const)('what was ordered as %j stands in the chat', async (media, bytes, shown, facts) => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = { ...command(), media }
  service.clipAnswers.push((response) => void response.end(bytes))
  service.succeeds(1)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  const message = playground.transcript(USER_ID).at(-1)
  expect(message).toMatchObject({ replyToMessageId: given.replyToMessageId, [shown]: facts })
  expect(message?.caption).toContain('₽40.00')
  expect(order.deliveredFiles).toEqual([{ type: shown, fileId: message?.[shown]?.fileId }])
})

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

// Promise: The answer to an album is lost, or its process ends while it sends
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

// Promise: The answer to an album is lost, or its process ends while it sends
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
