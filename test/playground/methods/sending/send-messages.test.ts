import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

test('sendMessage() distinguishes empty, blank, long and too long texts', async () => {
  const { refusalOf } = await openPlayground()
  const send = (text: string) => refusalOf('sendMessage', { chat_id: 5, text })

  expect(await send('')).toBe('Bad Request: message text is empty')
  expect(await send(' \n')).toBe('Bad Request: text must be non-empty')
  expect(await send('a'.repeat(4096))).toBe('ok')
  expect(await send('a'.repeat(4097))).toBe('Bad Request: message is too long')
  expect(await send('😀'.repeat(4096))).toBe('ok')
  expect(await send('😀'.repeat(8193))).toBe('Bad Request: text is too long')
  expect(await send('half \ud83d')).toBe('Bad Request: strings must be encoded in UTF-8')
})

test('sendMessage() looks at the text before the chat', async () => {
  const { refusalOf } = await openPlayground()

  expect(await refusalOf('sendMessage', { chat_id: 6, text: '' })).toBe(
    'Bad Request: message text is empty',
  )
  expect(await refusalOf('sendMessage', { chat_id: 6, text: ' ' })).toBe(
    'Bad Request: chat not found',
  )
  expect(await refusalOf('sendMessage', { text: 'a' })).toBe('Bad Request: chat_id is empty')
})

test('an entity must begin and end where characters do', async () => {
  const { refusalOf } = await openPlayground()
  const send = (text: string, offset: number, length: number) =>
    refusalOf('sendMessage', { chat_id: 5, text, entities: [{ type: 'bold', offset, length }] })

  expect(await send('😀a', 0, 1)).toBe(
    'Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4',
  )
  expect(await send('a😀', 2, 1)).toBe(
    'Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 5',
  )
  expect(await send('abc', 1, 9)).toBe(
    'Bad Request: entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 10',
  )
  expect(await send('abc', 7, 1)).toBe(
    'Bad Request: entity begins after the end of the text at UTF-16 offset 7',
  )
  expect(await send('😀a', 0, 2)).toBe('ok')
})

test('sendMessage() keeps 100 of the 150 entities of a text', async () => {
  const { api } = await openPlayground()
  const entities = Array.from({ length: 150 }, (_, index) => ({
    type: 'bold' as const,
    offset: index * 2,
    length: 1,
  }))

  const message = await api.sendMessage(5, 'a '.repeat(150), { entities })

  expect(message.entities).toHaveLength(100)
})

test('sendMessage() cleans a text and moves its entities along', async () => {
  const { api } = await openPlayground()

  const message = await api.sendMessage(5, ' \n\tone\r\ntwo\u2029 ', {
    entities: [{ type: 'bold', offset: 8, length: 3 }],
  })

  expect(message.text).toBe('one\ntwo')
  expect(message.entities).toEqual([{ type: 'bold', offset: 4, length: 3 }])
})

test('links, commands and mentions are found in what the bot sends, outside of code', async () => {
  const { api } = await openPlayground()

  const sent = await api.sendMessage(5, '/one /two @ann_b', {
    entities: [{ type: 'code', offset: 0, length: 4 }],
  })

  expect(sent.entities).toEqual([
    { type: 'code', offset: 0, length: 4 },
    { type: 'bot_command', offset: 5, length: 4 },
    { type: 'mention', offset: 10, length: 6 },
  ])
})

test('a keyboard is checked button by button', async () => {
  const { refusalOf } = await openPlayground()
  const send = (reply_markup: unknown) =>
    refusalOf('sendMessage', { chat_id: 5, text: 'a', reply_markup })
  const sendButton = (button: object) => send({ inline_keyboard: [[button]] })

  expect(await send('{')).toBe("Bad Request: can't parse reply keyboard markup JSON object")
  expect(await send([])).toBe('Bad Request: object expected as reply markup')
  expect(await send({ inline_keyboard: [{ text: 'a' }] })).toBe(
    'Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
  )
  expect(await sendButton({ text: 'a' })).toBe(
    "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
  )
  expect(await sendButton({ text: ' ', callback_data: 'x' })).toBe(
    'Bad Request: inline keyboard button text must be non-empty',
  )
  expect(await sendButton({ text: 'a', callback_data: 'ы'.repeat(32) })).toBe('ok')
  expect(await sendButton({ text: 'a', callback_data: 'ы'.repeat(33) })).toBe(
    'Bad Request: BUTTON_DATA_INVALID',
  )
})

test('an answer to a missing message is refused, unless sending without it is allowed', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  const asked = playground.userSends({ userId: 5, text: 'question' })

  const reply = await api.sendMessage(5, 'answer', {
    reply_parameters: { message_id: asked.message_id },
  })

  expect(reply.reply_to_message).toMatchObject({ message_id: asked.message_id, text: 'question' })
  const gone = { chat_id: 5, text: 'answer', reply_parameters: { message_id: 999 } }
  expect(await refusalOf('sendMessage', gone)).toBe('Bad Request: message to be replied not found')
  const loose = { message_id: 999, allow_sending_without_reply: true }
  expect(await refusalOf('sendMessage', { ...gone, reply_parameters: loose })).toBe('ok')
})

test('a chat that cannot be written to is refused with its own reason', async () => {
  const { call, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob', started: false })
  playground.addUser({ id: 7, firstName: 'Cid' })
  playground.addUser({ id: 8, firstName: 'Dan' })
  playground.blocks(7)
  playground.deactivates(8)
  const send = async (chat_id: number) => {
    const { status, body } = await call('sendMessage', { chat_id, text: 'a' })
    return [status, body.description]
  }

  expect(await send(6)).toEqual([403, "Forbidden: bot can't initiate conversation with a user"])
  expect(await send(7)).toEqual([403, 'Forbidden: bot was blocked by the user'])
  expect(await send(8)).toEqual([403, 'Forbidden: user is deactivated'])
  expect(await send(9)).toEqual([400, 'Bad Request: chat not found'])
})

test('a group that moved names its new id, one that threw the bot out says so', async () => {
  const { call, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  playground.addGroup({ id: -21, title: 'Club', members: [5] })
  playground.migrates(-20, -1_000_000_000_020)
  playground.setBotStatus(-21, 'kicked')

  const moved = await call('sendMessage', { chat_id: -20, text: 'a' })
  const kicked = await call('sendMessage', { chat_id: -21, text: 'a' })
  const arrived = await call('sendMessage', { chat_id: -1_000_000_000_020, text: 'a' })

  expect(moved.body).toEqual({
    ok: false,
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: -1_000_000_000_020 },
  })
  expect(kicked.body.description).toBe('Forbidden: bot was kicked from the group chat')
  expect(arrived.body.ok).toBe(true)
})

test('private chats and groups share one counter, a supergroup has its own', async () => {
  const { api, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  playground.addGroup({ id: -1_000_000_000_001, title: 'Hall', members: [5] })

  const ids: number[] = []
  for (const chatId of [5, 6, -20, -1_000_000_000_001, 5]) {
    ids.push((await api.sendMessage(chatId, 'a')).message_id)
  }

  expect(ids).toEqual([1, 2, 3, 1, 4])
})
