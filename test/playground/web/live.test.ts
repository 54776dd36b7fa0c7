import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { openPlayground } from '../open-playground.ts'
import { createActor, openPage } from './open-page.ts'

test('a page gets everything at first, and every message as it comes, changes and goes', async () => {
  const { api, apiRoot } = await openPlayground()
  const first = await api.sendMessage(5, 'one')
  const page = await openPage(apiRoot, 'as=5')
  const history = await page.next('history')

  const { message_id } = await api.sendMessage(5, 'two')
  const came = await page.next('message')
  await api.editMessageText(5, message_id, 'three')
  const changed = await page.next('message')
  await api.deleteMessage(5, first.message_id)
  const gone = await page.next('deleted')

  expect(page.state).toMatchObject({
    as: 5,
    bot: { me: { is_bot: true } },
    people: [{ id: 5, first_name: 'Ann' }],
    chats: [{ chat: { id: 5 }, is_started: true, typing: [] }],
  })
  expect(history.data).toMatchObject({ chat_id: 5, messages: [{ message: { text: 'one' } }] })
  expect(came.data).toMatchObject({ chat_id: 5, message: { message: { text: 'two' } } })
  expect(changed.data.message.message).toMatchObject({ message_id, text: 'three' })
  expect(gone.data).toEqual({ chat_id: 5, message_ids: [first.message_id] })
})

test('only the one who pressed a button hears how the bot answers', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({ id: -20, title: 'Two', members: [5, 6] })
  const presser = await openPage(apiRoot, 'as=5')
  const other = await openPage(apiRoot, 'as=6')
  const { act } = createActor(apiRoot)
  const { message_id } = await api.sendMessage(-20, 'hello', {
    reply_markup: { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] },
  })

  const pressed = await act('/chats/-20/presses', { user_id: 5, message_id, data: 'more' })
  const { callback_query_id } = pressed as { callback_query_id: string }
  await api.answerCallbackQuery(callback_query_id, { text: 'Done' })
  const { data } = await presser.next('answer')
  await api.sendMessage(-20, 'next')

  expect(data).toEqual({ chat_id: -20, message_id, text: 'Done' })
  const seen = []
  for (let text = ''; text !== 'next'; ) {
    const event = await other.nextEvent()
    if (event.name === 'message') text = event.data.message.message.text ?? ''
    seen.push(event.name)
  }
  expect(seen).not.toContain('answer')
})

test('a person sees their own private chat and the groups they are in, and no others', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addGroup({ id: -20, title: 'Ann alone', members: [5] })
  const page = await openPage(apiRoot, 'as=6')

  await api.sendMessage(5, 'for Ann')
  await api.sendMessage(-20, 'for Ann, too')
  await api.sendMessage(6, 'for Bob')
  const { data } = await page.next('message')

  expect(page.state.chats.map(({ chat }) => chat.id)).toEqual([6])
  expect(data.message.message.text).toBe('for Bob')
})

test('a page shows that the bot is typing, until its action fades', async () => {
  const clock = createManualClock()
  const { api, apiRoot } = await openPlayground({ clock })
  const page = await openPage(apiRoot, 'as=5')

  await api.sendChatAction(5, 'typing')
  const typing = await page.next('state')
  clock.advance(5_000)
  const faded = await page.next('state')

  expect([typing.data.chats[0]?.typing, faded.data.chats[0]?.typing]).toEqual([[0], []])
})

test('a page that leaves while something is about to be sent holds up nothing for the next one', async () => {
  const { api, apiRoot } = await openPlayground()
  for (let times = 0; times < 5; times += 1) {
    const page = await openPage(apiRoot, 'as=5')
    await api.sendMessage(5, 'not heard')
    page.leave()
    await api.getMe()
  }
  const page = await openPage(apiRoot, 'as=5')

  await api.sendMessage(5, 'heard')

  expect((await page.next('message')).data.message.message.text).toBe('heard')
})
