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

test('a parameter that is no rich message is refused', async () => {
  const { refusalOf } = await openPlayground()
  const send = (rich_message: unknown) => refusalOf('sendRichMessage', { chat_id: 5, rich_message })

  for (const nothing of [undefined, null, [], 'x', '"x"']) {
    expect(await send(nothing)).toBe('Bad Request: rich message must be non-empty')
  }
  expect(await send({})).toBe('Bad Request: RICH_MESSAGE_MARKDOWN_INVALID')
  expect(await send({ markdown: '' })).toBe('Bad Request: RICH_MESSAGE_MARKDOWN_INVALID')
  expect(await send({ markdown: 'a <b>' })).toBe('Bad Request: RICH_MESSAGE_MARKDOWN_INVALID')
  expect(await send({ markdown: 'half \ud83d' })).toBe(
    'Bad Request: strings must be encoded in UTF-8',
  )
  const both = { chat_id: 5, message_id: 1, text: 'a', rich_message: { markdown: 'a' } }
  expect(await refusalOf('editMessageText', both)).toMatch('exactly one of')
})

test('a rich message can be answered and pressed like any other', async () => {
  const { api, playground } = await openPlayground()
  const { message_id } = await api.sendRichMessage(5, { markdown: 'a' }, { reply_markup: BUTTON })

  playground.presses({ userId: 5, messageId: message_id, data: 'stop' })
  const answer = playground.userSends({ userId: 5, text: 'so?', replyToMessageId: message_id })

  const [update] = await api.getUpdates()
  expect(update?.callback_query?.message).toHaveProperty('rich_message')
  expect(answer.reply_to_message).toHaveProperty('rich_message')
  expect(answer.reply_to_message).not.toHaveProperty('text')
})

test('the control routes show what a reader sees of a rich message', async () => {
  const { api, apiRoot } = await openPlayground()
  await api.sendRichMessage(5, { markdown: '- **a**' })

  const page = await fetch(`${apiRoot}/playground/chats/5`)

  expect(await page.json()).toMatchObject({ messages: [{ text: '• a', rich: {} }] })
})
