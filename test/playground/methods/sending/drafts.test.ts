import { expect, test } from 'vitest'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { openPlayground } from '../../open-playground.ts'

test('a draft shows for 30 s after its last frame, and is no message', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })

  expect(await api.sendMessageDraft(5, 7, 'one')).toBe(true)
  clock.advance(29_999)
  await api.sendMessageDraft(5, 7, 'one two')
  clock.advance(29_999)

  expect(playground.visibleDraft(5)).toMatchObject({ draftId: '7', text: 'one two' })
  clock.advance(1)
  expect(playground.visibleDraft(5)).toBeUndefined()
  expect(playground.transcript(5)).toEqual([])
  expect(playground.draftFrames.map(({ text }) => text)).toEqual(['one', 'one two'])
})

test('a rich draft shows its blocks, a blank one that the bot thinks', async () => {
  const { api, playground } = await openPlayground()

  await api.sendMessageDraft(5, 7, '')
  expect(playground.visibleDraft(5)?.text).toBe('')
  await api.sendRichMessageDraft(5, 8, { markdown: '<tg-thinking>Hm</tg-thinking>\n\n**a** *b' })

  expect(playground.visibleDraft(5)).toMatchObject({
    draftId: '8',
    text: 'Hm\na *b',
    rich: { blocks: [{ type: 'thinking' }, { type: 'paragraph' }] },
  })
})

test('a message of the bot replaces the draft, one of the user does not', async () => {
  const { api, playground } = await openPlayground()
  await api.sendMessageDraft(5, 7, 'one')

  playground.userSends({ userId: 5, text: 'and?' })
  expect(playground.visibleDraft(5)).toBeDefined()
  await api.sendRichMessage(5, { markdown: 'two' })

  expect(playground.visibleDraft(5)).toBeUndefined()
  expect(playground.transcript(5)).toHaveLength(2)
})

test('a draft is refused for its id, its chat and its content', async () => {
  const { refusalOf, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const draft = (params: object) =>
    refusalOf('sendMessageDraft', { chat_id: 5, draft_id: 7, text: 'a', ...params })
  const rich = (markdown: string, params: object = {}) =>
    refusalOf('sendRichMessageDraft', {
      chat_id: 5,
      draft_id: 7,
      rich_message: { markdown },
      ...params,
    })

  expect(await draft({ draft_id: 0 })).toBe('Bad Request: RANDOM_ID_INVALID')
  expect(await draft({ draft_id: 'a' })).toBe('Bad Request: RANDOM_ID_INVALID')
  expect(await draft({ draft_id: '9223372036854775808' })).toBe('Bad Request: RANDOM_ID_INVALID')
  expect(await draft({ draft_id: '-9223372036854775808' })).toBe('ok')
  expect(await draft({ chat_id: -20 })).toBe('Bad Request: TEXTDRAFT_PEER_INVALID')
  expect(await draft({ text: 'a'.repeat(4097) })).toBe('Bad Request: message is too long')
  expect(await rich('a', { chat_id: -20 })).toBe('Bad Request: TEXTDRAFT_PEER_INVALID')
  expect(await rich('')).toBe('Bad Request: RICH_MESSAGE_MARKDOWN_INVALID')
  expect(await rich(`${'> '.repeat(17)}x`)).toBe('Bad Request: RICH_MESSAGE_DEPTH_INVALID')
  expect(await rich('x'.repeat(32_769))).toBe('Bad Request: RICH_MESSAGE_TEXT_TOO_LONG')
})

test('a stopped draft is gone, sends the bot an update, and does not come back', async () => {
  const { api, playground } = await openPlayground()
  await api.sendMessageDraft(5, 7, 'one', { can_stop: true })

  expect(playground.pressStop(5)).toBe('7')
  const [update] = await api.getUpdates()
  await api.sendMessageDraft(5, 7, 'one two', { can_stop: true })

  expect(update?.stopped_message_generation).toMatchObject({ chat: { id: 5 }, draft_id: 7 })
  expect(playground.visibleDraft(5)).toBeUndefined()
  expect(() => playground.pressStop(5)).toThrow('shows no draft')
  await api.sendMessageDraft(5, 8, 'next')
  expect(playground.visibleDraft(5)?.text).toBe('next')
})

test('a stopped draft can stay until the next message; without the button nothing stops', async () => {
  const { api, playground } = await openPlayground()
  await api.sendMessageDraft(5, 7, 'one')
  expect(() => playground.pressStop(5)).toThrow('no button')
  await api.sendMessageDraft(5, 7, 'one two', { can_stop: true, keep_on_stop: true })

  playground.pressStop(5)

  expect(playground.visibleDraft(5)?.text).toBe('one two')
  expect(() => playground.pressStop(5)).toThrow('no button')
  await api.sendMessage(5, 'one two')
  expect(playground.visibleDraft(5)).toBeUndefined()
})

test('drafts share the rate of chat actions: held for 2 s at most, else refused', async () => {
  const clock = createManualClock()
  const { call, playground } = await openPlayground({ clock, flood: 'real' })
  const draft = () => call('sendMessageDraft', { chat_id: 5, draft_id: 7, text: 'a' })
  await call('sendChatAction', { chat_id: 5, action: 'typing' })
  const answers: Promise<{ status: number }>[] = []
  for (let count = 0; count < 4; count++) {
    answers.push(draft())
    await playground.waitFor(({ calls }) => calls.length === count + 2)
  }

  const refused = await draft()
  clock.advance(2_000)

  expect(refused.body.parameters?.retry_after).toBe(3)
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true)
})

test('of long drafts fewer frames are kept, the last one always', async () => {
  const { api, playground } = await openPlayground()
  const frame = (length: number) => ({ markdown: 'a'.repeat(length), skip_entity_detection: true })

  for (let count = 0; count < 250; count++) await api.sendRichMessageDraft(5, 1, frame(32_768))
  await api.sendRichMessageDraft(5, 1, frame(10))

  expect(playground.draftFrames.length).toBeLessThan(250)
  expect(playground.draftFrames.at(-1)?.text).toBe('a'.repeat(10))
})
