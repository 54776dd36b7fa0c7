import { signal } from '@preact/signals'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { EndEvent, LiveEvent } from '../../api.ts'
import { endSession, readMe, sendSigned } from './session.ts'

/** The figures of this moment; undefined while none arrive. */
export const live = signal<LiveEvent | undefined>(undefined)

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Reads live figures for as long as the page is looked at: a hidden page reads none.
 *
 * @returns Ends it.
 */
export function followLive(): () => void {
  let controller: AbortController | undefined
  const follow = () => {
    controller?.abort()
    controller = document.hidden ? undefined : new AbortController()
    if (controller !== undefined) void readUntilAborted(controller.signal)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    controller?.abort()
    live.value = undefined
  }
}

/** Opens the stream again after each break, the longer the more often it broke. */
async function readUntilAborted(signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const isLast = await readStream(signal, () => {
        waitMs = FIRST_WAIT_MS
      })
      if (isLast) return
    } catch {
      // The figures are gone from the page meanwhile; what else is wrong, the rest of it says.
    }
    if (!signal.aborted) live.value = undefined
    await sleep(waitMs, signal)
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
}

/** @returns True if the server announced that no more will come. */
async function readStream(signal: AbortSignal, onEvent: () => void): Promise<boolean> {
  const { body } = await sendSigned('/live', { signal })
  if (body === null) return false
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
  // Not every browser iterates over streams.
  const reader = events.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return false
    onEvent()
    if (value.event === 'live') live.value = JSON.parse(value.data) as LiveEvent
    if (value.event === 'end') return end(JSON.parse(value.data) as EndEvent)
  }
}

/** A new role goes on with figures of its own; an ended session has no more. */
function end({ reason }: EndEvent): boolean {
  if (reason === 'role_changed') void readMe()
  else endSession()
  live.value = undefined
  return reason === 'session_ended'
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
