import { batch, computed, signal } from '@preact/signals'
import type { HistoryAnswer, LiveEvents, WireChat, WireMessage } from '../../web/api.ts'
import { afterBreak, withMessage, withOlder, withoutMessages } from './history.ts'
import { listen } from './live.ts'
import { ask } from './request.ts'
import { route } from './route.ts'

export const state = signal<LiveEvents['state'] | undefined>(undefined)

const histories = signal<ReadonlyMap<number, HistoryAnswer>>(new Map())

const NO_HISTORY: HistoryAnswer = { messages: [], has_more: false }

/** The person's chats; undefined until the playground has sent them. */
export const chats = computed<readonly WireChat[] | undefined>(() =>
  state.value?.as === route.value.as ? state.value?.chats : undefined,
)

/** The person's chats, the latest message first; a bot that was not started comes before them. */
export const chatsInOrder = computed<readonly WireChat[]>(() =>
  (chats.value ?? []).toSorted((one, other) => lastAt(other) - lastAt(one)),
)

/** The chat in the address, if the person is a member. */
export const chatShown = computed<WireChat | undefined>(() =>
  chats.value?.find(({ chat }) => chat.id === route.value.chatId),
)

/** The topic in the address; undefined shows the list of topics, if the chat has any. */
export const threadShown = computed<number | undefined>(() => {
  const { threadId } = route.value
  const chat = chatShown.value
  if (chat === undefined || !hasTopics(chat)) return undefined
  if (threadId === 0) return 0
  return chat.topics.find(({ thread_id: id }) => id === threadId)?.thread_id
})

const loading = new Map<number, Promise<void>>()

export function followChats(): void {
  listen('state', (next) =>
    batch(() => {
      const { build, as } = state.value ?? {}
      if (build !== next.build || as !== next.as) histories.value = new Map()
      state.value = next
    }),
  )
  listen('history', ({ chat_id: id, ...last }) =>
    put(id, afterBreak(histories.value.get(id), last)),
  )
  listen('message', ({ chat_id: id, message }) => put(id, withMessage(historyOf(id), message)))
  listen('deleted', ({ chat_id: id, message_ids }) =>
    put(id, withoutMessages(historyOf(id), message_ids)),
  )
}

function put(chatId: number, history: HistoryAnswer): void {
  histories.value = new Map(histories.peek()).set(chatId, history)
}

export function historyOf(chatId: number): HistoryAnswer {
  return histories.value.get(chatId) ?? NO_HISTORY
}

/**
 * Loads a page of older messages. Concurrent calls share one request.
 *
 * @throws {RequestError} If it was refused or did not reach the server.
 */
export function loadOlder(chatId: number): Promise<void> {
  const begun = loading.get(chatId) ?? readOlder(chatId).finally(() => loading.delete(chatId))
  loading.set(chatId, begun)
  return begun
}

async function readOlder(chatId: number): Promise<void> {
  const { messages, has_more: hasMore } = historyOf(chatId)
  const before = messages[0]?.message.message_id
  if (before === undefined || !hasMore) return
  const query = new URLSearchParams({ as: String(route.value.as), before: String(before) })
  const response = await ask(`/chats/${chatId}/history?${query}`)
  put(chatId, withOlder(historyOf(chatId), (await response.json()) as HistoryAnswer))
}

function lastAt({ chat, is_started: isStarted }: WireChat): number {
  if (!isStarted) return Number.MAX_SAFE_INTEGER
  return historyOf(chat.id).messages.at(-1)?.message.date ?? 0
}

/** Checks whether a chat shows its topics before its messages. */
export function hasTopics({ chat, topics }: WireChat): boolean {
  return (chat.type === 'supergroup' && chat.is_forum === true) || topics.length > 0
}

/** Returns the topic of a message; 0 is General, and every chat without topics. */
export function threadOf({ message }: WireMessage): number {
  return message.is_topic_message === true ? (message.message_thread_id ?? 0) : 0
}

/** Returns the loaded messages of one topic, or all messages of a chat without topics. */
export function messagesOf(chat: WireChat, threadId: number): readonly WireMessage[] {
  const { messages } = historyOf(chat.chat.id)
  return hasTopics(chat) ? messages.filter((wire) => threadOf(wire) === threadId) : messages
}

export function isTyping({ typing }: WireChat, threadId?: number): boolean {
  return threadId === undefined ? typing.length > 0 : typing.includes(threadId)
}
