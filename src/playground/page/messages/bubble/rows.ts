import type { WireMessage } from '../../../web/api.ts'

/** A row of a chat. */
export type Row =
  | { type: 'day'; key: string; date: number }
  | { type: 'service'; key: string; wire: WireMessage }
  | MessageRow

/** One message, or those of an album. */
export interface MessageRow {
  type: 'bubble'
  key: string
  wires: readonly WireMessage[]
  isOwn: boolean
  /** The first and last of those that one author wrote in a row. */
  isFirst: boolean
  isLast: boolean
}

/** Rows next to each other, which are drawn again together. */
export interface Chunk {
  key: string
  rows: readonly Row[]
}

/** So many ids make a chunk. */
const CHUNK_IDS = 40

/** Messages of one author with no more seconds between them stand close together. */
const GROUP_S = 60

/**
 * Makes rows of the messages of a chat, in chunks. What is as it was before is the same object, so that a chat
 * of a thousand messages draws again only the one that grows.
 */
export function createRowReader() {
  let knownRows = new Map<string, Row>()
  let knownChunks = new Map<string, Chunk>()
  return { read }

  /** @param as Whose messages stand at the right. */
  function read(messages: readonly WireMessage[], as: number | undefined): readonly Chunk[] {
    const chunks: { key: string; rows: Row[] }[] = []
    for (const { row, chunkKey } of toRows(messages, as)) {
      const before = knownRows.get(row.key)
      const same = before !== undefined && isSame(before, row) ? before : row
      const last = chunks.at(-1)
      if (last?.key === chunkKey) last.rows.push(same)
      else chunks.push({ key: chunkKey, rows: [same] })
    }
    knownRows = new Map(chunks.flatMap(({ rows }) => rows).map((row) => [row.key, row]))
    const kept = chunks.map((chunk) => {
      const before = knownChunks.get(chunk.key)
      return before !== undefined && hasSameRows(before, chunk) ? before : chunk
    })
    knownChunks = new Map(kept.map((chunk) => [chunk.key, chunk]))
    return kept
  }
}

/** The key of the last message. */
export function lastBubbleKey(chunks: readonly Chunk[]): string | undefined {
  const chunk = chunks.findLast(({ rows }) => rows.some(({ type }) => type === 'bubble'))
  return chunk?.rows.findLast(({ type }) => type === 'bubble')?.key
}

function hasSameRows(one: Chunk, other: Chunk): boolean {
  return (
    one.rows.length === other.rows.length &&
    one.rows.every((row, index) => row === other.rows[index])
  )
}

interface ReadRow {
  row: Row
  chunkKey: string
}

function toRows(messages: readonly WireMessage[], as: number | undefined): ReadRow[] {
  const albums = joinAlbums(messages)
  return albums.flatMap((wires, index): ReadRow[] => {
    const [wire] = wires
    if (wire === undefined) return []
    const { message } = wire
    const chunkKey = `chunk ${Math.floor(message.message_id / CHUNK_IDS)}`
    const before = albums[index - 1]?.at(-1)
    const after = albums[index + 1]?.[0]
    const isNewDay = before === undefined || dayOf(before) !== dayOf(wire)
    const day: Row = { type: 'day', key: `day ${dayOf(wire)}`, date: message.date }
    const key = `message ${message.message_id}`
    const row: Row = isService(wire)
      ? { type: 'service', key, wire }
      : {
          type: 'bubble',
          key,
          wires,
          isOwn: message.sender_chat === undefined && message.from?.id === as,
          isFirst: !isTogether(before, wire),
          isLast: !isTogether(wire, after),
        }
    return (isNewDay ? [day, row] : [row]).map((one) => ({ row: one, chunkKey }))
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

const DAY_S = 86_400

/** The number of the day by the clock of this machine. */
function dayOf({ message: { date } }: WireMessage): number {
  return Math.floor((date - new Date(date * 1000).getTimezoneOffset() * 60) / DAY_S)
}

/** The fields that make a message more than a service message. */
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

/** Checks whether a message only shows that something has happened. */
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
