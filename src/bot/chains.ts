import type { ChatThread } from './telegram/addressing.ts'

/** The work of a thread: it waits for `before`, and never rejects. */
type Work = (before: Promise<unknown>) => Promise<void>

/** Runs the work of each thread one after the other, in the order of the ids. */
export class Chains {
  readonly #threads = new Map<string, Map<bigint, Promise<void>>>()

  /** Checks whether work of a smaller id must end first. */
  hasBefore(thread: ChatThread, id: bigint): boolean {
    return this.#before(thread, id).length > 0
  }

  add(thread: ChatThread, id: bigint, work: Work): void {
    const key = keyOf(thread)
    const before = Promise.all(this.#before(thread, id))
    const all = this.#threads.get(key) ?? new Map<bigint, Promise<void>>()
    this.#threads.set(key, all)
    const done = work(before).finally(() => {
      all.delete(id)
      if (all.size === 0 && this.#threads.get(key) === all) this.#threads.delete(key)
    })
    all.set(id, done)
  }

  #before(thread: ChatThread, id: bigint): Promise<void>[] {
    const all = this.#threads.get(keyOf(thread)) ?? []
    return Array.from(all, ([other, done]) => (other < id ? [done] : [])).flat()
  }
}

function keyOf({ chatId, threadId }: ChatThread): string {
  return `${chatId} ${threadId}`
}
