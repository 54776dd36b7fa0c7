import { type ReadonlySignal, signal } from '@preact/signals'

/** An item that the server numbers as it happens. */
export interface Numbered {
  seq: number
}

export interface BoundedList<T extends Numbered> {
  /** The last ones, oldest first; renewed at most once a frame. */
  readonly items: ReadonlySignal<readonly T[]>
  /** Takes new ones and known ones that have changed. */
  take: (changes: readonly T[]) => void
  /** Forgets what is there; it does not come back. */
  clear: () => void
  /** Begins again: the server numbers from the start. */
  reset: () => void
}

/**
 * Keeps the newest of a flood.
 *
 * @param schedule Runs a function once, soon: in a page, with its next frame.
 */
export function createBoundedList<T extends Numbered>(
  itemsMax: number,
  schedule: (show: () => void) => void,
): BoundedList<T> {
  const items = signal<readonly T[]>([])
  let kept: T[] = []
  let clearedTo = 0
  let lastSeq = 0
  let isScheduled = false
  return { items, take, clear, reset }

  function take(changes: readonly T[]): void {
    for (const change of changes) {
      if (change.seq > lastSeq) {
        kept.push(change)
        lastSeq = change.seq
      } else if (change.seq > clearedTo) replace(change)
    }
    // Cut rarely rather than with every change: half as much again is little, too.
    if (kept.length > 1.5 * itemsMax) kept = kept.slice(-itemsMax)
    showSoon()
  }

  /** One that was cut before it changed stays away. */
  function replace(change: T): void {
    const index = indexOf(kept, change.seq)
    if (index !== -1) kept[index] = change
  }

  function clear(): void {
    clearedTo = lastSeq
    kept = []
    showSoon()
  }

  function reset(): void {
    clearedTo = 0
    lastSeq = 0
    kept = []
    showSoon()
  }

  function showSoon(): void {
    if (isScheduled) return
    isScheduled = true
    schedule(() => {
      isScheduled = false
      items.value = kept.slice(-itemsMax)
    })
  }
}

/** Returns the index of a number in a list that rises; -1 if it is not there. */
function indexOf(list: readonly Numbered[], seq: number): number {
  let low = 0
  let high = list.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = list[middle]?.seq ?? 0
    if (found === seq) return middle
    if (found < seq) low = middle + 1
    else high = middle - 1
  }
  return -1
}
