/** How long a silence is borne. */
export interface Patience {
  /** Begins to wait; if that is not over in time, patience is lost. */
  begin(waitMs: number): void
  /** The wait is over. */
  end(): void
  /** There will be no other. */
  stop(): void
}

/** Bounds the waits for one connection. One timer serves them all: there is a wait for every delta. */
export function createPatience(onLost: (error: Error) => void): Patience {
  let isWaiting = false
  let timer: NodeJS.Timeout | undefined
  let timerMs = 0
  return { begin, end, stop }

  function begin(waitMs: number): void {
    isWaiting = true
    if (timer === undefined || waitMs !== timerMs) {
      clearTimeout(timer)
      timer = setTimeout(lose, waitMs)
      timerMs = waitMs
    } else timer.refresh()
  }

  function end(): void {
    isWaiting = false
  }

  function stop(): void {
    clearTimeout(timer)
  }

  function lose(): void {
    if (!isWaiting) return
    onLost(new Error(`Cannot go on waiting: nothing came for ${timerMs} ms`))
  }
}
