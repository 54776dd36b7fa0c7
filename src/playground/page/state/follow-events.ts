import { EventSourceParserStream } from 'eventsource-parser/stream'

/** How a page reads the one stream of events that its server has for it. */
export interface EventStream {
  open(signal: AbortSignal): Promise<Response>
  onEvent(name: string, data: string): boolean
  onBreak(): void
  /** The wait after a break. It doubles with each that no event came before, up to `longestWaitMs`. */
  firstWaitMs: number
  longestWaitMs: number
  silenceMs?: number
}

/** Reads events until the signal aborts, and opens the stream again after each break. */
export async function followEvents(stream: EventStream, signal: AbortSignal): Promise<void> {
  let waitMs = stream.firstWaitMs
  while (!signal.aborted) {
    try {
      const isLast = await readOnce(stream, signal, () => {
        waitMs = stream.firstWaitMs
      })
      if (isLast) return
    } catch {
      // A refusal, no connection, an abort: `onBreak` shows that nothing comes.
    }
    if (signal.aborted) return
    stream.onBreak()
    await sleep(waitMs, signal)
    waitMs = Math.min(2 * waitMs, stream.longestWaitMs)
  }
}

async function readOnce(
  { open, onEvent, silenceMs }: EventStream,
  signal: AbortSignal,
  onHeard: () => void,
): Promise<boolean> {
  const closing = new AbortController()
  const close = () => closing.abort()
  signal.addEventListener('abort', close)
  let silence = watchSilence()
  try {
    const { body } = await open(closing.signal)
    if (body === null) return false
    const events = body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
      .pipeThrough(new EventSourceParserStream())
    // Not every browser iterates over streams.
    const reader = events.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return false
      clearTimeout(silence)
      silence = watchSilence()
      onHeard()
      if (take(value.event ?? 'message', value.data)) return true
    }
  } finally {
    clearTimeout(silence)
    signal.removeEventListener('abort', close)
    close()
  }

  function watchSilence(): ReturnType<typeof setTimeout> | undefined {
    return silenceMs === undefined ? undefined : setTimeout(close, silenceMs)
  }

  /** A mistake of the page itself shows in the console, and does not break its stream. */
  function take(name: string, data: string): boolean {
    try {
      return onEvent(name, data)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
      return false
    }
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)

    // The signal lives as long as the page: each wait leaves it as it was.
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
  })
}
