import type { WireMessage } from '../../web/api.ts'

export type Row =
  | { type: 'day'; key: string; date: number }
  | { type: 'service'; key: string; wire: WireMessage }
  | MessageRow

export interface MessageRow {
  type: 'bubble'
  key: string
  wires: readonly WireMessage[]
  isOwn: boolean
  isFirst: boolean
  isLast: boolean
}

/** Messages of one author with at most so many seconds between them are drawn close together. */
const GROUP_S = 60

const DAY_S = 86_400

const CONTENTS = ['text', 'rich_message', 'photo', 'video', 'audio', 'voice', 'document'] as const

/** Makes rows of messages. An unchanged row is the same object as before, so only changed rows are drawn again. */
export function createRowReader() {
  let known = new Map<string, Row>()
  return { read }

  /** @param as The person whose messages are drawn at the right. */
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
    const key = `message ${message.message_id}`
    const row: Row = isService(wire)
      ? { type: 'service', key, wire }
      : {
          type: 'bubble',
          key,
          wires,
          isOwn: message.from?.id === as,
          isFirst: !isTogether(before, wire),
          isLast: !isTogether(wire, after),
        }
    if (before !== undefined && dayOf(before) === dayOf(wire)) return [row]
    return [{ type: 'day', key: `day ${dayOf(wire)}`, date: message.date }, row]
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
    one.message.from?.id === next.message.from?.id &&
    dayOf(one) === dayOf(next) &&
    next.message.date - one.message.date <= GROUP_S
  )
}

function dayOf({ message: { date } }: WireMessage): number {
  return Math.floor((date - new Date(date * 1000).getTimezoneOffset() * 60) / DAY_S)
}

function isService({ message }: WireMessage): boolean {
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
