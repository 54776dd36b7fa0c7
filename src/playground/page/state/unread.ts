import { effect, signal } from '@preact/signals'
import type { WireMessage } from '../../web/api.ts'
import type { ChatState } from './chat-state.ts'
import { chatShown, chats, hasTopics, messagesOf, threadOf, threadShown } from './chats.ts'
import { contentOf } from './describe.ts'
import { listen } from './live.ts'
import { route } from './route.ts'

/** The last seen message of the person at the page, by chat and topic. */
const marks = signal<Readonly<Record<string, number>>>({})

const isLookedAt = signal(!document.hidden)

/** Marks messages as seen while they show. The tabs of one person in this browser share the marks. */
export function followUnread(): void {
  document.addEventListener('visibilitychange', () => {
    isLookedAt.value = !document.hidden
  })
  effect(() => {
    marks.value = readMarks(route.value.as)
  })
  addEventListener('storage', ({ key }) => {
    if (key === keyOf(route.value.as)) marks.value = readMarks(route.value.as)
  })
  listen('state', () => forgetHigher())
  effect(() => {
    const chat = chatShown.value
    if (!isLookedAt.value || chat === undefined) return
    const threadId = threadShown.value
    if (threadId === undefined && hasTopics(chat.info.value)) return
    const shown = messagesOf(chat.info.value, chat.messages.value, threadId ?? 0)
    const last = shown.at(-1)?.message.message_id
    if (last !== undefined) mark(chat.id, threadId ?? 0, last)
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
  return message.message_id > (marks.value[`${chatId}/${threadId}`] ?? 0)
}

function mark(chatId: number, threadId: number, messageId: number): void {
  const now = marks.peek()
  const thread = `${chatId}/${threadId}`
  if ((now[thread] ?? 0) < messageId) keep({ ...now, [thread]: messageId })
}

/** An emptied playground numbers messages from 1 again: higher marks are stale. */
function forgetHigher(): void {
  const highest = new Map(
    (chats.peek() ?? []).map(({ id, messages }) => {
      return [id, messages.peek().at(-1)?.message.message_id ?? 0] as const
    }),
  )
  const now = Object.entries(marks.peek()).map(([thread, seen]) => {
    const last = highest.get(Number(thread.split('/')[0]))
    return [thread, last === undefined ? seen : Math.min(seen, last)] as const
  })
  keep(Object.fromEntries(now))
}

function keep(now: Readonly<Record<string, number>>): void {
  localStorage.setItem(keyOf(route.peek().as), JSON.stringify(now))
  marks.value = now
}

function readMarks(as: number | undefined): Readonly<Record<string, number>> {
  try {
    return JSON.parse(localStorage.getItem(keyOf(as)) ?? '{}') as Record<string, number>
  } catch {
    // No JSON: marks begin anew.
    return {}
  }
}

function keyOf(as: number | undefined): string {
  return `playground.seen.${as ?? ''}`
}
