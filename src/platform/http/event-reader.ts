import { createParser } from 'eventsource-parser'

/** Longest event that is held in memory, in UTF-16 units. A whole answer in one delta fits. */
export const EVENT_CHARS_MAX = 4 * 1024 * 1024

/**
 * Turns the bytes of one stream of server-sent events into the data of its events. Comments, and fields
 * other than `data`, are skipped.
 */
export function createEventReader() {
  let events: string[] = []
  let overfull = false
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ data }) => events.push(data),
    // Unknown fields are none of ours; the parser's own error would quote the stream.
    onError: ({ type }) => {
      overfull ||= type === 'max-buffer-size-exceeded'
    },
  })
  const decoder = new TextDecoder()
  return {
    read: (bytes: Uint8Array) => feed(decoder.decode(bytes, { stream: true })),
    readEnd: () => feed(`${decoder.decode()}\n\n`),
    isOverfull: () => overfull,
  }

  function feed(text: string): readonly string[] {
    events = []
    parser.feed(text)
    return events
  }
}
