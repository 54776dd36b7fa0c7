import type { Clock } from '../../../time/clock.ts'

/** A server that is brought up to date is noticed by then. */
const ASK_AGAIN_MS = 3_600_000

/** Whether the Bot API server takes rich messages, as far as this process knows. */
export interface RichSupport {
  /** Whether the next reply should begin with one. */
  isExpected(): boolean
  /** Notes that the server does not know them. */
  noteMissing(): void
}

export function createRichSupport(clock: Clock): RichSupport {
  let missingUntil = Number.NEGATIVE_INFINITY
  return {
    isExpected: () => clock.now() >= missingUntil,
    noteMissing: () => {
      missingUntil = clock.now() + ASK_AGAIN_MS
    },
  }
}
