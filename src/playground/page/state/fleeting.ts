import { type ReadonlySignal, signal } from '@preact/signals'

/** A value that shows for a while only, by topic: a draft, or what the bot is doing. */
export interface Fleeting<T> {
  readonly shown: ReadonlySignal<ReadonlyMap<number, T>>
  put(what: T): void
  remove(threadId: number): void
  clear(): void
}

/** Keeps what shows for a while, and takes each away when its time is over. */
export function createFleeting<T extends { thread_id: number; shows_ms: number }>(): Fleeting<T> {
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
