import { type ReadonlySignal, signal } from '@preact/signals'
import type { WireAction, WireChat, WireDraft, WireMessage } from '../../web/api.ts'

/** A chat as the page has it. What changes is a signal, and a new object where it changed. */
export interface ChatState {
  readonly id: number
  readonly info: ReadonlySignal<WireChat>
  /** Those that are loaded, of every topic, oldest first. */
  readonly messages: ReadonlySignal<readonly WireMessage[]>
  /** Older ones are with the server. */
  readonly hasMore: ReadonlySignal<boolean>
  /** The drafts by topic; 0 outside of topics. */
  readonly drafts: ReadonlySignal<ReadonlyMap<number, WireDraft>>
  /** The bot's actions by topic. */
  readonly actions: ReadonlySignal<ReadonlyMap<number, WireAction>>
}

export type ChatKeeper = ReturnType<typeof keepChat>

/** Keeps one chat as events describe it. */
export function keepChat(first: WireChat) {
  const info = signal(first)
  const messages = signal<readonly WireMessage[]>([])
  const hasMore = signal(false)
  const drafts = createFleeting<WireDraft>()
  const actions = createFleeting<WireAction>()
  const chat: ChatState = {
    id: first.chat.id,
    info,
    messages,
    hasMore,
    drafts: drafts.shown,
    actions: actions.shown,
  }
  return { chat, info, messages, hasMore, drafts, actions, put, putOlder, putWhole, remove }

  /** A new message, or one that replaces its older version. */
  function put(message: WireMessage): void {
    const { message_id: id } = message.message
    const list = quoteAnew(messages.value, message)
    const at = list.findIndex((other) => other.message.message_id >= id)
    // One that changed before it was loaded comes with its page: put first, it would hide those between.
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
   * The last messages, after a break.
   *
   * @param mayKeep True if older ones that were loaded belong to them, when nothing is missing between.
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

/** Has those that answer a message quote it as it is now, as Telegram's clients do; all others stay the same objects. */
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

/** A value that shows for a while only, by topic: a draft, or what the bot is doing. */
interface Fleeting<T> {
  readonly shown: ReadonlySignal<ReadonlyMap<number, T>>
  put(what: T): void
  remove(threadId: number): void
  clear(): void
}

/** Keeps what shows for a while, and takes each away when its time is over. */
function createFleeting<T extends { thread_id: number; shows_ms: number }>(): Fleeting<T> {
  const shown = signal<ReadonlyMap<number, T>>(new Map())
  const ends = new Map<number, ReturnType<typeof setTimeout>>()
  return { shown, put, remove, clear }

  function put(what: T): void {
    const { thread_id: threadId, shows_ms: showsMs } = what
    clearTimeout(ends.get(threadId))
    ends.set(
      threadId,
      setTimeout(() => remove(threadId), showsMs),
    )
    shown.value = new Map(shown.value).set(threadId, what)
  }

  function remove(threadId: number): void {
    clearTimeout(ends.get(threadId))
    ends.delete(threadId)
    if (!shown.value.has(threadId)) return
    const others = new Map(shown.value)
    others.delete(threadId)
    shown.value = others
  }

  function clear(): void {
    for (const threadId of [...shown.value.keys()]) remove(threadId)
  }
}
