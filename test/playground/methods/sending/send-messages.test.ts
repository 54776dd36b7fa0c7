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
