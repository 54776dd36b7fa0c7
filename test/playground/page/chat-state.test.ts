import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepChat } from '../../../src/playground/page/state/chat-state.ts'
import type { WireChat, WireMessage } from '../../../src/playground/web/api.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('messages stand by id, however they come, and an edit replaces the older version', () => {
  const { chat, put, remove } = keepChat(CHAT)

  put(sent(3, 'third'))
  put(sent(1, 'first'))
  put(sent(2, 'second'))
  put(sent(3, 'third, edited'))
  remove([1])

  expect(textsOf(chat.messages.value)).toEqual(['second', 'third, edited'])
})

test('an answer quotes what it answers as that is now', () => {
  const { chat, put } = keepChat(CHAT)
  put(sent(1, 'a card'))
  put(sent(2, 'of a fox', 1))
  put(sent(3, 'beside them'))
  const [, , other] = chat.messages.value

  put(sent(1, 'a clip'))

  const quoted = chat.messages.value.map(({ message }) => message.reply_to_message?.text)
  expect(quoted).toEqual([undefined, 'a clip', undefined])
  expect(chat.messages.value[2]).toBe(other)
})

test('older messages that were loaded stay over a break, if nothing is missing between', () => {
  const { chat, putWhole, putOlder } = keepChat(CHAT)
  putWhole([sent(3, 'c'), sent(4, 'd')], true, false)
  putOlder([sent(1, 'a'), sent(2, 'b')], false)

  putWhole([sent(3, 'c'), sent(4, 'd, edited'), sent(5, 'e')], true, true)

  expect(textsOf(chat.messages.value)).toEqual(['a', 'b', 'c', 'd, edited', 'e'])
  expect(chat.hasMore.value).toBe(false)
})

test('after a break that missed more than a page, only the last page shows', () => {
  const { chat, putWhole } = keepChat(CHAT)
  putWhole([sent(1, 'a'), sent(2, 'b')], false, false)

  putWhole([sent(60, 'y'), sent(61, 'z')], true, true)

  expect(textsOf(chat.messages.value)).toEqual(['y', 'z'])
  expect(chat.hasMore.value).toBe(true)
})

test('what the bot is doing shows for its time, which every next word of it begins again', () => {
  const { chat, actions } = keepChat(CHAT)
  const typing = { chat_id: 1, thread_id: 0, action: 'typing', shows_ms: 5_000 }

  actions.put(typing)
  vi.advanceTimersByTime(4_000)
  actions.put(typing)
  vi.advanceTimersByTime(4_000)
  expect(chat.actions.value.get(0)).toEqual(typing)
  vi.advanceTimersByTime(1_000)

  expect(chat.actions.value.size).toBe(0)
})

const CHAT: WireChat = {
  chat: { id: 1, type: 'private', first_name: 'Ada' },
  topics: [],
  members: [1],
  is_started: true,
  is_blocked: false,
  bot_status: 'member',
  commands: [],
  menu_button: { type: 'default' },
}

function sent(id: number, text: string, answeredId?: number): WireMessage {
  const answered = answeredId === undefined ? undefined : sent(answeredId, 'as it was').message
  const fields = { message_id: id, date: id, chat: CHAT.chat, text }
  const message = { ...fields, reply_to_message: answered } as WireMessage['message']
  return { message }
}

function textsOf(messages: readonly WireMessage[]): (string | undefined)[] {
  return messages.map(({ message }) => message.text)
}
