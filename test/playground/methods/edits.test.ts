import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

const BUTTON = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] }
const NOT_MODIFIED =
  'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'

test('an edit without a keyboard takes the old one away', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })

  await api.editMessageText(5, message_id, 'two', { reply_markup: BUTTON })
  expect(playground.transcript(5)[0]?.replyMarkup).toEqual(BUTTON)
  await api.editMessageText(5, message_id, 'three')

  expect(playground.transcript(5)).toMatchObject([{ id: message_id, text: 'three' }])
  expect(playground.transcript(5)[0]?.replyMarkup).toBeUndefined()
  expect(playground.transcript(5)[0]?.editDate).toBeTypeOf('number')
})

test('an edit is refused when nothing changes, after the text was cleaned', async () => {
  const { api, refusalOf } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })
  const edit = (params: object) =>
    refusalOf('editMessageText', { chat_id: 5, message_id, text: 'one', ...params })

  expect(await edit({ reply_markup: BUTTON })).toBe(NOT_MODIFIED)
  expect(await edit({ reply_markup: BUTTON, text: '  one\n' })).toBe(NOT_MODIFIED)
  expect(await edit({})).toBe('ok')
  expect(await edit({})).toBe(NOT_MODIFIED)
  expect(await edit({ entities: [{ type: 'bold', offset: 0, length: 3 }] })).toBe('ok')
})

test('editMessageMedia() replaces a text by a video', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'generating')
  const media = new InputFile(Buffer.from('video'), 'video.mp4')

  await api.editMessageMedia(5, message_id, {
    type: 'video',
    media,
    caption: 'done',
    width: 1280,
    height: 720,
    duration: 5,
    supports_streaming: true,
  })

  const [message] = playground.transcript(5)
  expect(message).toMatchObject({ id: message_id, caption: 'done' })
  expect(message?.text).toBeUndefined()
  expect(message?.video).toMatchObject({
    bytes: Buffer.from('video'),
    size: 5,
    fileName: 'video.mp4',
    mime: 'video/mp4',
    width: 1280,
    height: 720,
    duration: 5,
    supportsStreaming: true,
  })
})

test('deleteMessage() deletes for two days, in a group only what is its own', async () => {
  const clock = createManualClock()
  const { api, refusalOf, playground } = await openPlayground({ clock })
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const first = await api.sendMessage(5, 'one')
  const second = await api.sendMessage(5, 'two')
  const foreign = playground.userSends({ userId: 5, chatId: -20, text: 'mine' })
  const remove = (chat_id: number, message_id: number) =>
    refusalOf('deleteMessage', { chat_id, message_id })

  expect(await remove(5, first.message_id)).toBe('ok')
  expect(await remove(5, first.message_id)).toBe('Bad Request: message to delete not found')
  expect(await remove(-20, foreign.message_id)).toBe("Bad Request: message can't be deleted")
  clock.advance(49 * 3_600_000)
  expect(await remove(5, second.message_id)).toBe(
    "Bad Request: message can't be deleted for everyone",
  )
  expect(playground.transcript(5)).toHaveLength(1)
})
