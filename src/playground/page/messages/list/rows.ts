import type { WireMessage } from '../../../web/api.ts'

/** What stands on a line of its own in a chat. */
export type Row =
  | { type: 'day'; key: string; date: number }
  | { type: 'service'; key: string; wire: WireMessage }
  | BubbleRow

/** One message, or those of an album. */
export interface BubbleRow {
  type: 'bubble'
  key: string
  wires: readonly WireMessage[]
  isOwn: boolean
  /** The first and last of those that one author wrote in a row. */
  isFirst: boolean
  isLast: boolean
}

/** Messages of one author that are no further apart stand close together, in seconds. */
const GROUP_S = 60

/**
 * Makes rows of the messages of a chat. A row that is as it was before is the same object, so that a chat of
 * a thousand messages draws again only the one that grows.
 */
export function createRowReader() {
  let known = new Map<string, Row>()
  return { read }

  /** @param as Whose messages stand at the right. */
  function read(messages: readonly WireMessage[], as: number | undefined): readonly Row[] {
    const rows = toRows(messages, as).map((row) => {
      const before = known.get(row.key)
      return before !== undefined && isSame(before, row) ? before : row
    })
    known = new Map(rows.map((row) => [row.key, row]))
    return rows
  }
}

function toRows(messages: readonly WireMessage[], as: number | undefined): Row[] {
  const albums = joinAlbums(messages)
  return albums.flatMap((wires, index): Row[] => {
    const [wire] = wires
    if (wire === undefined) return []
    const { message } = wire
    const before = albums[index - 1]?.at(-1)
    const after = albums[index + 1]?.[0]
    const isNewDay = before === undefined || dayOf(before) !== dayOf(wire)
    const day: Row = { type: 'day', key: `day ${dayOf(wire)}`, date: message.date }
    const key = `message ${message.message_id}`
    const row: Row = isService(wire)
      ? { type: 'service', key, wire }
      : {
          ...{ type: 'bubble', key, wires },
          isOwn: message.sender_chat === undefined && message.from?.id === as,
          isFirst: !isTogether(before, wire),
          isLast: !isTogether(wire, after),
        }
    return isNewDay ? [day, row] : [row]
  })
}

function joinAlbums(messages: readonly WireMessage[]): WireMessage[][] {
  const albums: WireMessage[][] = []
  for (const wire of messages) {
    const last = albums.at(-1)
    const id = wire.message.media_group_id
    if (last !== undefined && id !== undefined && last[0]?.message.media_group_id === id) {
      last.push(wire)
    } else albums.push([wire])
  }
  return albums
}

function isTogether(one: WireMessage | undefined, next: WireMessage | undefined): boolean {
  if (one === undefined || next === undefined || isService(one) || isService(next)) return false
  return (
    authorOf(one) === authorOf(next) &&
    dayOf(one) === dayOf(next) &&
    next.message.date - one.message.date <= GROUP_S
  )
}

function authorOf({ message }: WireMessage): number {
  return message.sender_chat?.id ?? message.from?.id ?? message.chat.id
}

function dayOf({ message }: WireMessage): string {
  return new Date(message.date * 1000).toDateString()
}

/** What makes a message more than a note that something has happened. */
const CONTENTS = [
  'text',
  'rich_message',
  'photo',
  'video',
  'animation',
  'audio',
  'voice',
  'video_note',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
  'dice',
] as const

/** Whether a message only tells that something has happened. */
export function isService({ message }: WireMessage): boolean {
  return !CONTENTS.some((name) => message[name] !== undefined)
}

function isSame(one: Row, other: Row): boolean {
  if (one.type === 'bubble' && other.type === 'bubble') {
    return (
      one.isOwn === other.isOwn &&
      one.isFirst === other.isFirst &&
      one.isLast === other.isLast &&
      one.wires.length === other.wires.length &&
      one.wires.every((wire, index) => wire === other.wires[index])
    )
  }
  if (one.type === 'service' && other.type === 'service') return one.wire === other.wire
  return one.type === 'day' && other.type === 'day'
}
