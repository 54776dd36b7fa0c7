import type { Place } from '../conversation/conversations.ts'

/** A turn whose answer is being written. */
export interface RunningTurn {
  /** Resolves when a user stopped it. */
  stopped: Promise<void>
  /** Takes it out: it cannot be stopped any more. */
  end(): void
}

/** The turns of this process that can be stopped, at most one in a place. */
export function createRunningTurns() {
  const stops = new Map<string, () => void>()
  return { begin, stop }

  function begin(place: Place): RunningTurn {
    const { promise: stopped, resolve } = Promise.withResolvers<void>()
    stops.set(keyOf(place), resolve)
    return {
      stopped,
      end: () => {
        if (stops.get(keyOf(place)) === resolve) stops.delete(keyOf(place))
      },
    }
  }

  /** @returns Whether there was a turn to stop. */
  function stop(place: Place): boolean {
    const resolve = stops.get(keyOf(place))
    stops.delete(keyOf(place))
    resolve?.()
    return resolve !== undefined
  }
}

function keyOf({ chatId, threadId }: Place): string {
  return `${chatId} ${threadId}`
}
