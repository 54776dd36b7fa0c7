import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'

async function open(options: Parameters<typeof openPlayground>[0] = {}) {
  const clock = createManualClock()
  const opened = await openPlayground({ clock, ...options })
  const { playground } = opened
  const found = () => playground.lints.map(({ rule, method }) => `${rule} ${method}`)
  return { ...opened, clock, found }
}

test('a lint records a sixth edit within 5 s in a private chat, not one after them', async () => {
  const { api, clock, found } = await open({ flood: 'off' })
  const { message_id } = await api.sendMessage(5, '0')
  const edit = (text: string) => api.editMessageText(5, message_id, text)

  for (const text of ['1', '2', '3', '4', '5']) await edit(text)
  clock.advance(5_000)
  await edit('6')
  expect(found()).toEqual([])
  for (const text of ['7', '8', '9', '10', '11']) await edit(text)

  expect(found()).toEqual(['edit-too-often editMessageText'])
})

test('a lint records more than 18 messages and edits a minute in a group', async () => {
  const { api, clock, found, playground } = await open()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const { message_id } = await api.sendMessage(-20, '0')
  for (let count = 1; count < 18; count++) {
    clock.advance(3_000)
    await api.editMessageText(-20, message_id, String(count))
  }

  expect(found()).toEqual([])
  await api.sendMessage(-20, 'more')

  expect(found()).toEqual(['edit-too-often sendMessage'])
})

test('a lint records an edit that changes nothing', async () => {
  const { api, refusalOf, found } = await open()
  const { message_id } = await api.sendMessage(5, 'a')

  await refusalOf('editMessageText', { chat_id: 5, message_id, text: 'a' })

  expect(found()).toEqual(['identical-edit editMessageText'])
})

test('a lint records a call before the end of a 429, not one afterwards or of another kind', async () => {
  const { api, refusalOf, clock, found, playground } = await open()
  playground.fault({ kind: '429', retryAfter: 3 })
  await refusalOf('sendMessage', { chat_id: 5, text: 'a' })

  await api.sendChatAction(5, 'typing')
  clock.advance(2_999)
  await api.sendMessage(5, 'b')
  clock.advance(1)
  await api.sendMessage(5, 'c')

  expect(found()).toEqual(['call-during-ban sendMessage'])
})

test('a lint records a second message to a user who blocked the bot', async () => {
  const { refusalOf, found, playground } = await open()
  const send = () => refusalOf('sendMessage', { chat_id: 5, text: 'a' })
  playground.blocks(5)

  await send()
  expect(found()).toEqual([])
  await send()
  expect(found()).toEqual(['send-after-403 sendMessage'])
  playground.unblocks(5)
  playground.userSends({ userId: 5, text: 'back' })
  await send()

  expect(found()).toHaveLength(1)
})

test('a lint records a draft that had faded before its next frame, not a new one', async () => {
  const { api, clock, found, playground } = await open()
  await api.sendMessageDraft(5, 7, 'a')
  clock.advance(30_000)
  await api.sendMessageDraft(5, 7, 'ab')
  expect(found()).toEqual([])

  clock.advance(30_001)
  await api.sendMessageDraft(5, 7, 'abc')

  expect(found()).toEqual(['draft-gap sendMessageDraft'])
  expect(playground.pendingDrafts()).toMatchObject([{ draftId: '7', text: 'abc' }])
  await api.sendMessage(5, 'abc')
  clock.advance(60_000)
  await api.sendMessageDraft(5, 7, 'd')
  expect(found()).toHaveLength(1)
})

test('a lint records frames after a stop, and a stop button whose update the bot does not ask for', async () => {
  const { api, call, found, playground } = await open()
  await api.sendMessageDraft(5, 7, 'a', { can_stop: true })
  playground.pressStop(5)

  await api.sendMessageDraft(5, 7, 'ab')
  await call('getUpdates', { allowed_updates: ['message'] })
  await api.sendMessageDraft(5, 8, 'c', { can_stop: true })

  expect(found()).toEqual(['draft-after-stop sendMessageDraft', 'stop-unheard sendMessageDraft'])
})

test('a lint records a message sent again after its answer was lost, not a text that is sent twice', async () => {
  const { api, refusalOf, found, playground } = await open()
  await api.sendMessage(5, 'a')
  await api.sendMessage(5, 'a')
  expect(found()).toEqual([])

  playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
  await expect(api.sendMessage(5, 'b')).rejects.toThrow('sendMessage')
  await api.sendMessage(5, 'b')
  playground.fault({ kind: '500', method: 'sendMessage' })
  await refusalOf('sendMessage', { chat_id: 5, text: 'c' })
  await api.sendMessage(5, 'c')

  expect(found()).toEqual(['double-send sendMessage'])
})

test('a lint records a rich message that lets Telegram look for entities', async () => {
  const { api, clock, found } = await open()

  await api.sendRichMessage(5, { markdown: 'a' })
  clock.advance(1_000)
  await api.sendRichMessage(5, { markdown: 'b', skip_entity_detection: true })

  expect(found()).toEqual(['entity-detection-on sendRichMessage'])
})
