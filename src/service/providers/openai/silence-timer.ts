/** Bounds the waits for one connection. One timer serves all of them: there is one for every delta. */
export function createSilenceTimer(onSilence: (error: Error) => void) {
  let isWaiting = false
  let timer: NodeJS.Timeout | undefined
  let timerMs = 0
  return { begin, end, stop }

  /** Begins to wait; `onSilence` is called if `end()` does not come in time. */
  function begin(waitMs: number): void {
    isWaiting = true
    if (timer === undefined || waitMs !== timerMs) {
      clearTimeout(timer)
      timer = setTimeout(report, waitMs)
      timerMs = waitMs
    } else timer.refresh()
  }

  /** The wait is over. */
  function end(): void {
    isWaiting = false
  }

  /** There will be no other. */
  function stop(): void {
    clearTimeout(timer)
  }

  function report(): void {
    if (isWaiting) onSilence(new Error(`Cannot go on waiting: nothing came for ${timerMs} ms`))
  }
}
