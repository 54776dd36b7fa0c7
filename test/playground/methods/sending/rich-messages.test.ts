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
      rich: { markdown: rich_message.markdown, blocks, skipEntityDetection: true },
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

test('an edit to the same blocks is refused, also from another source', async () => {
  const { refusalOf } = await openPlayground()
  await refusalOf('sendRichMessage', { chat_id: 5, rich_message: { markdown: '**a**' } })
  const edit = (markdown: string) =>
    refusalOf('editMessageText', { chat_id: 5, message_id: 1, rich_message: { markdown } })

  expect(await edit('__a__')).toMatch('message is not modified')
  expect(await edit('_a_')).toBe('ok')
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
  for (const html of ['', ' ', '<b', '<b>a', 'a</b>']) {
    expect(await send({ html })).toBe('Bad Request: RICH_MESSAGE_HTML_INVALID')
  }
  expect(await send({ html: 5 })).toMatch('Field "html" must be of type String')
  expect(await send({ blocks: [] })).toBe('Bad Request: RICH_MESSAGE_CONTENT_REQUIRED')
  expect(await send({ blocks: [{ type: 'x' }] })).toBe(
    `Bad Request: can't parse InputRichBlock: type "x" is unsupported`,
  )
  const both = { chat_id: 5, message_id: 1, text: 'a', rich_message: { markdown: 'a' } }
  expect(await refusalOf('editMessageText', both)).toMatch('exactly one of')
})

test('of several sources blocks count before Markdown, and that before HTML', async () => {
  const { call } = await openPlayground()
  const shown = async (rich_message: object) => {
    const { body } = await call('sendRichMessage', { chat_id: 5, rich_message })
    return body.result
  }

  const html = '<b'
  const markdown = 'markdown'
  expect(await shown({ html, markdown })).toMatchObject({
    rich_message: { blocks: [{ type: 'paragraph', text: 'markdown' }] },
  })
  expect(await shown({ html, markdown, blocks: [{ type: 'divider' }] })).toMatchObject({
    rich_message: { blocks: [{ type: 'divider' }] },
  })
})

test('HTML and blocks are sent, edited and drafted as Markdown is', async () => {
  const { api, playground, refusalOf } = await openPlayground()
  const blocks = [{ type: 'paragraph', text: { type: 'bold', text: 'a' } }] as const

  const { message_id, rich_message } = await api.sendRichMessage(5, { html: '<b>a</b>' })
  const same = { chat_id: 5, message_id, rich_message: { blocks } }
  const unchanged = await refusalOf('editMessageText', same)
  const edited = await api.editMessageText(5, message_id, { html: '<i>b</i>', is_rtl: true })
  await api.sendRichMessageDraft(5, 7, { blocks: [{ type: 'thinking', text: 'Hm' }] })

  expect(rich_message?.blocks).toEqual(blocks)
  expect(unchanged).toMatch('message is not modified')
  expect(edited).toMatchObject({ rich_message: { is_rtl: true, blocks: [{ type: 'paragraph' }] } })
  expect(playground.transcript(5)).toMatchObject([{ text: 'b', rich: { isRtl: true } }])
  expect(playground.visibleDraft(5)).toMatchObject({ text: 'Hm' })
})

test('open HTML is plain text where the playground is set so', async () => {
  const { api, playground } = await openPlayground({ unclosedHtml: 'literal' })

  await api.sendRichMessage(5, { markdown: 'a <b>c' })

  expect(playground.transcript(5)).toMatchObject([{ text: 'a <b>c' }])
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
