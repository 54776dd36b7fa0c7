import { createParser } from 'eventsource-parser'

/** Largest event of a stream, in UTF-16 units; a delta has a few hundred. */
export const EVENT_CHARS_MAX = 1_048_576

/** Turns the bytes of one event stream into the data of its events. */
export interface EventReader {
  /** @returns The data of the events that these bytes complete; valid until the next call. */
  read(bytes: Uint8Array): readonly string[]
  /** Whether an event went on for too long: nothing more can be read. */
  isOverfull(): boolean
}

export function createEventReader(): EventReader {
  const events: string[] = []
  let overfull = false
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      overfull ||= type === 'max-buffer-size-exceeded'
    },
  })
  const decoder = new TextDecoder()
  return {
    read(bytes) {
      events.length = 0
      parser.feed(decoder.decode(bytes, { stream: true }))
      return events
    },
    isOverfull: () => overfull,
  }
}
