import { effect, signal } from '@preact/signals'
import type { WireChat } from '../../web/api.ts'
import {
  chatShown,
  chats,
  hasTopics,
  historyOf,
  messagesOf,
  threadOf,
  threadShown,
} from './chats.ts'
import { contentOf } from './describe.ts'
import { listen } from './live.ts'
import { route } from './route.ts'

/** The last seen message of a whole chat (`CHAT`) and of each topic (`CHAT/TOPIC`). */
const marks = signal<ReadonlyMap<string, number>>(new Map())

const isVisible = signal(!document.hidden)

/** Marks messages as seen while they show. Messages from before the page was opened count as seen. */
export function followUnread(): void {
  let markedFor = ''
  document.addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden
  })
  listen('state', ({ as, build }) => {
    if (markedFor !== `${as} ${build}`) marks.value = new Map()
    markedFor = `${as} ${build}`
  })
  listen('history', ({ chat_id: chatId, messages }) => {
    if (!marks.peek().has(`${chatId}`)) mark(`${chatId}`, messages.at(-1)?.message.message_id ?? 0)
  })
  effect(() => {
    const chat = chatShown.value
    const threadId = threadShown.value
    if (!isVisible.value || chat === undefined) return
    if (threadId === undefined && hasTopics(chat)) return
    const last = messagesOf(chat, threadId ?? 0).at(-1)
    if (last !== undefined) mark(`${chat.chat.id}/${threadId ?? 0}`, last.message.message_id)
  })
}

export function unreadOf(chat: WireChat, threadId?: number): number {
  const { id } = chat.chat
  const messages = threadId === undefined ? historyOf(id).messages : messagesOf(chat, threadId)
  return messages.filter((wire) => {
    const { message } = wire
    const seen = [`${id}`, `${id}/${hasTopics(chat) ? threadOf(wire) : 0}`].map(
      (key) => marks.value.get(key) ?? 0,
    )
    const isNew = message.message_id > Math.max(...seen)
    return isNew && message.from?.id !== route.value.as && contentOf(message) !== undefined
  }).length
}

export function unreadInAll(): number {
  return (chats.value ?? []).reduce((sum, chat) => sum + unreadOf(chat), 0)
}

function mark(key: string, messageId: number): void {
  if ((marks.peek().get(key) ?? -1) < messageId) {
    marks.value = new Map(marks.peek()).set(key, messageId)
  }
}
