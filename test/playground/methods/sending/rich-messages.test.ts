import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const BUTTON = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] }

test('a rich message has blocks and no text; the transcript has all three', async () => {
  const { call, playground } = await openPlayground()
  const rich_message = { markdown: '# A\n\nb **c**', skip_entity_detection: true }

  const { body } = await call('sendRichMessage', { chat_id: 5, rich_message })

  const blocks = [
    { type: 'heading', size: 1, text: 'A' },
    { type: 'paragraph', text: ['b ', { type: 'bold', text: 'c' }] },
  ]
  expect(body.result).toMatchObject({ message_id: 1, chat: { id: 5 }, rich_message: { blocks } })
  expect(body.result).not.toHaveProperty('text')
  expect(playground.transcript(5)).toMatchObject([
    {
      text: 'A\nb c',
      rich: { markdown: rich_message.markdown, blocks },
    },
  ])
})

test('a text becomes rich and plain again under one id', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'one', { reply_markup: BUTTON })

  const rich = await api.editMessageText(5, message_id, { markdown: '**two**' })
  const seen = playground.transcript(5)
  const plain = await api.editMessageText(5, message_id, 'three')

  expect(rich).toMatchObject({ message_id, rich_message: { blocks: [{ type: 'paragraph' }] } })
  expect(rich).not.toHaveProperty('text')
  expect(seen).toMatchObject([{ id: message_id, text: 'two' }])
  expect(seen[0]?.replyMarkup).toBeUndefined()
  expect(plain).toMatchObject({ message_id, text: 'three' })
  expect(plain).not.toHaveProperty('rich_message')
  expect(playground.transcript(5)[0]?.rich).toBeUndefined()
})
