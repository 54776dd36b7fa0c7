/** Bounds the waits for one connection. One timer serves all of them: there is one for every delta. */
export function createSilenceTimer(onSilence: (error: Error) => void) {
  let isWaiting = false
  let timer: NodeJS.Timeout | undefined
  let timerMs = 0
  return { begin, end, stop }

  function begin(waitMs: number): void {
    isWaiting = true
    if (timer === undefined || waitMs !== timerMs) {
      clearTimeout(timer)
      timer = setTimeout(report, waitMs)
      timerMs = waitMs
    } else timer.refresh()
  }

  function end(): void {
    isWaiting = false
  }

  function stop(): void {
    clearTimeout(timer)
  }

  function report(): void {
    if (isWaiting) onSilence(new Error(`Cannot go on waiting: nothing came for ${timerMs} ms`))
  }
}
