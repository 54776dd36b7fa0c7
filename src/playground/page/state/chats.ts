import { batch, computed, signal } from '@preact/signals'
import type { HistoryAnswer, LiveEvents, WireChat } from '../../web/api.ts'
import { listen } from '../live.ts'
import { ask } from '../request.ts'
import { route } from '../route.ts'
import { type ChatKeeper, type ChatState, keepChat } from './chat-state.ts'
import { takePeople } from './people.ts'
import { topicAt } from './topics.ts'

const keepers = signal<ReadonlyMap<number, ChatKeeper>>(new Map())
/** The playground's start that the chats are from; undefined before the first event. */
export const build = signal<string | undefined>(undefined)
const shownAs = signal<number | undefined>(undefined)

/** The chats that the person is in; undefined until the playground has sent them. */
export const chats = computed<readonly ChatState[] | undefined>(() =>
  build.value === undefined || shownAs.value !== route.value.as
    ? undefined
    : [...keepers.value.values()].map(({ chat }) => chat),
)

/** The same, the chat of the latest message first; before them the bot that one has not met. */
export const chatsInOrder = computed<readonly ChatState[]>(() =>
  (chats.value ?? []).toSorted((one, other) => lastAt(other) - lastAt(one)),
)

/** The chat that the address names, if the person is in it. */
export const chatShown = computed<ChatState | undefined>(() =>
  chats.value?.find(({ id }) => id === route.value.chatId),
)

/** The topic of it that the address names; undefined shows the list of topics where there are any. */
export const threadShown = computed(() => {
  const chat = chatShown.value
  return chat === undefined ? undefined : topicAt(chat.info.value, route.value.threadId)
})

const loading = new Map<number, Promise<void>>()

/** Follows events from now on. */
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
  listen('draft', (draft) => keeperOf(draft.chat_id)?.drafts.put(draft))
  listen('draft_gone', ({ chat_id: id, thread_id }) => keeperOf(id)?.drafts.remove(thread_id))
  listen('action', (action) => keeperOf(action.chat_id)?.actions.put(action))
  listen('action_gone', ({ chat_id: id, thread_id }) => keeperOf(id)?.actions.remove(thread_id))
}

/**
 * Loads a page of older messages in front of those that are there. Once for all who ask at the same time.
 *
 * @throws {RequestError} If it was refused, or did not reach the server.
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
    keeper.drafts.clear()
    keeper.actions.clear()
    return [info.chat.id, keeper] as const
  })
  keepers.value = new Map(now)
  for (const draft of state.drafts) keeperOf(draft.chat_id)?.drafts.put(draft)
  for (const action of state.actions) keeperOf(action.chat_id)?.actions.put(action)
}

/** Left, or put out by an administrator. */
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
