import { batch, computed, signal } from '@preact/signals'
import type { HistoryAnswer, LiveEvents, WireChat, WireMessage } from '../../web/api.ts'
import { type ChatKeeper, type ChatState, keepChat } from './chat-state.ts'
import { listen } from './live.ts'
import { takePeople } from './people.ts'
import { ask } from './request.ts'
import { route } from './route.ts'

const keepers = signal<ReadonlyMap<number, ChatKeeper>>(new Map())
/** Id of the server's start; undefined before the first event. */
const build = signal<string | undefined>(undefined)
const shownAs = signal<number | undefined>(undefined)

/** The person's chats; undefined until the playground has sent them. */
export const chats = computed<readonly ChatState[] | undefined>(() =>
  build.value === undefined || shownAs.value !== route.value.as
    ? undefined
    : [...keepers.value.values()].map(({ chat }) => chat),
)

/** The person's chats, the latest message first; a bot that was not started comes before them. */
export const chatsInOrder = computed<readonly ChatState[]>(() =>
  (chats.value ?? []).toSorted((one, other) => lastAt(other) - lastAt(one)),
)

/** The chat in the address, if the person is a member. */
export const chatShown = computed<ChatState | undefined>(() =>
  chats.value?.find(({ id }) => id === route.value.chatId),
)

/** The topic in the address; undefined shows the list of topics, if the chat has any. */
export const threadShown = computed(() => {
  const chat = chatShown.value
  return chat === undefined ? undefined : topicAt(chat.info.value, route.value.threadId)
})

const loading = new Map<number, Promise<void>>()

export function followChats(): void {
  listen('state', (state) => batch(() => takeState(state)))
  listen('chat', (info) => {
    const known = keepers.value.get(info.chat.id)
    if (isOut(info)) keepers.value = without(info.chat.id)
    else if (known !== undefined) known.info.value = info
    else keepers.value = new Map(keepers.value).set(info.chat.id, keepChat(info))
  })
  listen('message', ({ chat_id: id, message }) => keeperOf(id)?.put(message))
  listen('deleted', ({ chat_id: id, message_ids: ids }) => keeperOf(id)?.remove(ids))
  listen('action', (action) => keeperOf(action.chat_id)?.actions.put(action))
  listen('action_gone', ({ chat_id: id, thread_id }) => keeperOf(id)?.actions.remove(thread_id))
}

/**
 * Loads a page of older messages. Concurrent calls share one request.
 *
 * @throws {RequestError} If it was refused or did not reach the server.
 */
export function loadOlder(chat: ChatState): Promise<void> {
  const known = loading.get(chat.id)
  if (known !== undefined) return known
  const begun = readOlder(chat).finally(() => loading.delete(chat.id))
  loading.set(chat.id, begun)
  return begun
}

async function readOlder({ id }: ChatState): Promise<void> {
  const keeper = keeperOf(id)
  const before = keeper?.messages.value[0]?.message.message_id
  if (keeper === undefined || before === undefined || !keeper.hasMore.value) return
  const query = new URLSearchParams({ as: String(route.value.as), before: String(before) })
  const response = await ask(`/chats/${id}/history?${query}`)
  const { messages, has_more: hasMore } = (await response.json()) as HistoryAnswer
  keeper.putOlder(messages, hasMore)
}

function takeState(state: LiveEvents['state']): void {
  const mayKeep = build.value === state.build && shownAs.value === state.as
  build.value = state.build
  shownAs.value = state.as
  takePeople(state)
  const before = mayKeep ? keepers.value : new Map<number, ChatKeeper>()
  const now = state.chats.map(({ messages, has_more: hasMore, ...info }) => {
    const keeper = before.get(info.chat.id) ?? keepChat(info)
    keeper.info.value = info
    keeper.putWhole(messages, hasMore, mayKeep)
    keeper.actions.clear()
    return [info.chat.id, keeper] as const
  })
  keepers.value = new Map(now)
  for (const action of state.actions) keeperOf(action.chat_id)?.actions.put(action)
}

function isOut({ chat, members }: WireChat): boolean {
  const { value: as } = shownAs
  return chat.type !== 'private' && as !== undefined && !members.includes(as)
}

function without(chatId: number): Map<number, ChatKeeper> {
  return new Map([...keepers.value].filter(([id]) => id !== chatId))
}

function lastAt({ info, messages }: ChatState): number {
  if (!info.value.is_started) return Number.MAX_SAFE_INTEGER
  return messages.value.at(-1)?.message.date ?? 0
}

function keeperOf(chatId: number): ChatKeeper | undefined {
  return keepers.value.get(chatId)
}

/** Checks whether a chat shows its topics before its messages. */
export function hasTopics({ chat, topics }: WireChat): boolean {
  return (chat.type === 'supergroup' && chat.is_forum === true) || topics.length > 0
}

/** Returns undefined for a deleted topic and in a chat without topics. */
function topicAt(info: WireChat, threadId: number | undefined): number | undefined {
  if (threadId === 0) return hasTopics(info) ? 0 : undefined
  return info.topics.find(({ thread_id: id }) => id === threadId)?.thread_id
}

/** Returns the topic of a message; 0 is General, and every chat without topics. */
export function threadOf({ message }: WireMessage): number {
  return message.is_topic_message === true ? (message.message_thread_id ?? 0) : 0
}

/** Returns the messages of one topic, or all messages of a chat without topics. */
export function messagesOf(
  info: WireChat,
  messages: readonly WireMessage[],
  threadId: number,
): readonly WireMessage[] {
  return hasTopics(info) ? messages.filter((message) => threadOf(message) === threadId) : messages
}
