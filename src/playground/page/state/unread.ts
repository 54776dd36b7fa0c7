import { effect, signal } from '@preact/signals'
import type { WireMessage } from '../../web/api.ts'
import type { ChatState } from './chat-state.ts'
import { chatShown, chats, hasTopics, messagesOf, threadOf, threadShown } from './chats.ts'
import { contentOf } from './describe.ts'
import { listen } from './live.ts'
import { route } from './route.ts'

/** The last seen message by chat and topic. Messages from before the page was opened count as seen. */
const marks = signal<ReadonlyMap<string, number>>(new Map())

const isVisible = signal(!document.hidden)

let markedFor = ''

/** Marks messages as seen while they show. */
export function followUnread(): void {
  document.addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden
  })
  listen('state', ({ as, build }) => {
    if (markedFor !== `${as} ${build}`) marks.value = new Map()
    else return
    markedFor = `${as} ${build}`
    for (const { id, messages } of chats.peek() ?? []) {
      for (const wire of messages.peek()) mark(id, threadOf(wire), wire.message.message_id)
    }
  })
  effect(() => {
    const chat = chatShown.value
    if (!isVisible.value || chat === undefined) return
    const threadId = threadShown.value
    if (threadId === undefined && hasTopics(chat.info.value)) return
    const shown = messagesOf(chat.info.value, chat.messages.value, threadId ?? 0)
    const last = shown.at(-1)
    if (last !== undefined) mark(chat.id, threadId ?? 0, last.message.message_id)
  })
}

/** Counts the unseen messages of others in a chat, or in one topic of it. */
export function unreadOf(chat: ChatState, threadId?: number): number {
  const isInTopics = hasTopics(chat.info.value)
  return chat.messages.value.filter((wire) => {
    const thread = isInTopics ? threadOf(wire) : 0
    return (threadId === undefined || threadId === thread) && isUnread(chat.id, thread, wire)
  }).length
}

export function unreadInAll(): number {
  return (chats.value ?? []).reduce((sum, chat) => sum + unreadOf(chat), 0)
}

function isUnread(chatId: number, threadId: number, { message }: WireMessage): boolean {
  if (message.from?.id === route.value.as || contentOf(message) === undefined) return false
  return message.message_id > (marks.value.get(`${chatId}/${threadId}`) ?? 0)
}

function mark(chatId: number, threadId: number, messageId: number): void {
  const thread = `${chatId}/${threadId}`
  if ((marks.peek().get(thread) ?? 0) < messageId) {
    marks.value = new Map(marks.peek()).set(thread, messageId)
  }
}
