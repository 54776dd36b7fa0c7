import type { ServerResponse } from 'node:http'
import type { LiveEvents } from '../api.ts'

/** The most that waits for a reader. A slower one is cut off and comes back to a whole state. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024

/** Writes one event. */
export type Send = <Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]) => void

/** Writes events to a page until it leaves, or is too slow. */
export function createWriter(raw: ServerResponse): { send: Send; end(): void } {
  // A write that races the page's leaving errs; `close` follows.
  raw.on('error', () => {})
  return {
    send(name, data) {
      if (raw.destroyed) return
      if (raw.writableLength > WAITING_BYTES_MAX) raw.destroy()
      else raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    end: () => void raw.end(),
  }
}
