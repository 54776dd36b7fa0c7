import type { Clock } from '../../../platform/time/clock.ts'

/** The second one works while the first waits for the database. */
const BEGINNING_MAX = 2
/**
 * An update that waits for a file or for Telegram keeps others waiting no longer: forty begin in a second at the
 * least, and Telegram takes thirty answers.
 */
const BEGINS_MS_MAX = 50

export interface BeginInOrderDeps {
  clock: Clock
  signal: AbortSignal
}

/**
 * Has updates that come together begin one after the other, in the order in which they ask to.
 *
 * Begun all at once they would share the processor step by step, and the first of fifty would have its answer asked
 * for as late as the last.
 */
export function createBeginInOrder({ clock, signal }: BeginInOrderDeps) {
  let beginning = 0
  const waiting: (() => void)[] = []
  signal.addEventListener('abort', () => {
    for (const begin of waiting.splice(0)) begin()
  })
  return beginInOrder

  /**
   * Resolves when an update may begin, with a function to call when it has begun. Calling that again does
   * nothing.
   */
  async function beginInOrder(): Promise<() => void> {
    // One that is let in counts instead of the one that lets it in.
    if (beginning >= BEGINNING_MAX && !signal.aborted) {
      await new Promise<void>((begin) => waiting.push(begin))
    } else beginning++
    let hasBegun = false
    void clock.sleep(BEGINS_MS_MAX).then(onBegun)
    return onBegun

    function onBegun(): void {
      if (hasBegun) return
      hasBegun = true
      const next = waiting.shift()
      if (next === undefined) beginning--
      else next()
    }
  }
}
