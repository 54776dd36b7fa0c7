/** Bounds the waits for one connection. */
export interface SilenceTimer {
  /** Begins to wait; `onSilence` is called if `end()` does not come in time. */
  begin(waitMs: number): void
  /** The wait is over. */
  end(): void
  /** There will be no other. */
  stop(): void
}

/** One timer serves all the waits of a connection: there is one for every delta. */
export function createSilenceTimer(onSilence: (error: Error) => void): SilenceTimer {
  let isWaiting = false
  let timer: NodeJS.Timeout | undefined
  let timerMs = 0
  return { begin, end, stop }

  function begin(waitMs: number): void {
    isWaiting = true
    if (timer === undefined || waitMs !== timerMs) {
      clearTimeout(timer)
      timer = setTimeout(tell, waitMs)
      timerMs = waitMs
    } else timer.refresh()
  }

  function end(): void {
    isWaiting = false
  }

  function stop(): void {
    clearTimeout(timer)
  }

  function tell(): void {
    if (isWaiting) onSilence(new Error(`Cannot go on waiting: nothing came for ${timerMs} ms`))
  }
}
