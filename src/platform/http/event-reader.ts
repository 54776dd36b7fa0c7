import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Longest event in UTF-16 units. A whole answer in one delta fits. */
export const EVENT_CHARS_MAX = 4 * 1024 * 1024

/** Turns the bytes of one stream into its server-sent events. Comments are skipped. */
export function createEventReader() {
  let events: EventSourceMessage[] = []
  let overfull = false
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: (event) => events.push(event),
    // Unknown fields are ignored. The parser's own error would quote the stream.
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

  function feed(text: string): readonly EventSourceMessage[] {
    events = []
    parser.feed(text)
    return events
  }
}
