import { type ReadonlySignal, signal } from '@preact/signals'
import type { WireAction, WireChat, WireMessage } from '../../web/api.ts'

/** A chat as the page has it. Signals hold the parts that change; a changed part is a new object. */
export interface ChatState {
  readonly id: number
  readonly info: ReadonlySignal<WireChat>
  /** The loaded messages of every topic, oldest first. */
  readonly messages: ReadonlySignal<readonly WireMessage[]>
  /** The server has older messages. */
  readonly hasMore: ReadonlySignal<boolean>
  /** The bot's actions by topic; 0 outside of topics. */
  readonly actions: ReadonlySignal<ReadonlyMap<number, WireAction>>
}

export type ChatKeeper = ReturnType<typeof keepChat>

/** Keeps one chat as events describe it. */
export function keepChat(first: WireChat) {
  const info = signal(first)
  const messages = signal<readonly WireMessage[]>([])
  const hasMore = signal(false)
  const actions = keepActions()
  const chat: ChatState = {
    id: first.chat.id,
    info,
    messages,
    hasMore,
    actions: actions.shown,
  }
  return { chat, info, messages, hasMore, actions, put, putOlder, putWhole, remove }

  /** Adds a new message, or replaces its older version. */
  function put(message: WireMessage): void {
    const { message_id: id } = message.message
    const list = quoteAnew(messages.value, message)
    const at = list.findIndex((other) => other.message.message_id >= id)
    // A changed message that is not loaded comes with its page later; added now, it would hide a gap.
    if (hasMore.value && id < (list[0]?.message.message_id ?? 0)) messages.value = list
    else if (at === -1) messages.value = [...list, message]
    else {
      const isKnown = list[at]?.message.message_id === id
      messages.value = list.toSpliced(at, isKnown ? 1 : 0, message)
    }
  }

  function putOlder(older: readonly WireMessage[], isMoreThere: boolean): void {
    const first = messages.value[0]?.message.message_id ?? Number.POSITIVE_INFINITY
    const before = older.filter(({ message }) => message.message_id < first)
    messages.value = [...before, ...messages.value]
    hasMore.value = isMoreThere
  }

  /**
   * Takes the last messages after a break.
   *
   * @param mayKeep True if older loaded messages may stay, provided that none is missing between.
   */
  function putWhole(last: readonly WireMessage[], isMoreThere: boolean, mayKeep: boolean): void {
    const first = last[0]?.message.message_id
    const at = messages.value.findIndex(({ message }) => message.message_id === first)
    if (mayKeep && at > 0) messages.value = [...messages.value.slice(0, at), ...last]
    else {
      messages.value = last
      hasMore.value = isMoreThere
    }
  }

  function remove(ids: readonly number[]): void {
    const gone = new Set(ids)
    messages.value = messages.value.filter(({ message }) => !gone.has(message.message_id))
  }
}

type ReplyMessage = NonNullable<WireMessage['message']['reply_to_message']>

/** Updates the quotes of a message in its replies, as Telegram's clients do; other messages stay the same objects. */
function quoteAnew(list: readonly WireMessage[], { message }: WireMessage): readonly WireMessage[] {
  const quotes = ({ message: { reply_to_message: quoted } }: WireMessage) =>
    quoted?.message_id === message.message_id
  if (!list.some(quotes)) return list
  // The type asks for an explicit `undefined` inside, which strict optional fields cannot hold.
  const quoted = { ...message, reply_to_message: undefined } as ReplyMessage
  return list.map((wire) =>
    quotes(wire) ? { ...wire, message: { ...wire.message, reply_to_message: quoted } } : wire,
  )
}

/** Keeps what the bot is doing, by topic, and removes each action when its time is over. */
function keepActions() {
  const shown = signal<ReadonlyMap<number, WireAction>>(new Map())
  const ends = new Map<number, ReturnType<typeof setTimeout>>()
  return { shown, put, remove, clear }

  function put(action: WireAction): void {
    const { thread_id: threadId, shows_ms: showsMs } = action
    clearTimeout(ends.get(threadId))
    const end = setTimeout(() => remove(threadId), showsMs)
    ends.set(threadId, end)
    shown.value = new Map(shown.value).set(threadId, action)
  }

  function remove(threadId: number): void {
    clearTimeout(ends.get(threadId))
    ends.delete(threadId)
    shown.value = new Map([...shown.value].filter(([id]) => id !== threadId))
  }

  function clear(): void {
    for (const threadId of [...shown.value.keys()]) remove(threadId)
  }
}
