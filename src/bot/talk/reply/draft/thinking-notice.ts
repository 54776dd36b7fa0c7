import type { Clock } from '../../../../platform/time/clock.ts'

/** A model that thinks for less needs no words: its chat shows that the bot types. */
const FIRST_MS = 3_000
const EVERY_MS = 5_000

/**
 * Says that a model thinks, and for how long, for as long as its thoughts come and it has said nothing.
 *
 * @param show Takes the seconds since its first thought.
 */
export function createThinkingNotice({
  clock,
  show,
}: {
  clock: Pick<Clock, 'now'>
  show: (seconds: number) => void
}) {
  let begunAt: number | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  return { thought }

  function thought(): void {
    const now = clock.now()
    begunAt ??= now
    if (now - begunAt < FIRST_MS || now - shownAt < EVERY_MS) return
    shownAt = now
    show(Math.round((now - begunAt) / 1000))
  }
}
