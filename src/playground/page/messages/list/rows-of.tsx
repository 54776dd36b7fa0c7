import type { Signal } from '@preact/signals'
import type { ChatState } from '../../state/chat-state.ts'
import { formatDay } from '../../words/dates.ts'
import { words } from '../../words/language.ts'
import { daysAgo } from '../../words/today.ts'
import { BubbleRow } from '../bubble/bubble-row.tsx'
import type { Chunk, Row } from '../bubble/rows.ts'
import { ServiceRow } from '../bubble/service-row.tsx'

interface SharedProps {
  chat: ChatState
  /** Becomes the key of the row that the keyboard comes to. */
  current: Signal<string | undefined>
  onGo: (messageId: number) => void
}

interface RowsProps extends SharedProps {
  chunk: Chunk
  /** The key of the one message that Tab leads to, if it is in here; arrows lead on from there. */
  currentKey: string | undefined
}

/** Some lines of a chat, next to each other. */
export function RowsOf({ chunk, currentKey, ...more }: RowsProps) {
  // Reading a signal makes Preact compare properties, and leave alone what has the same.
  void words.value
  return (
    <>
      {chunk.rows.map((row) => (
        <RowOf key={row.key} row={row} isCurrent={row.key === currentKey} {...more} />
      ))}
    </>
  )
}

function RowOf({ row, ...more }: SharedProps & { row: Row; isCurrent: boolean }) {
  void words.value
  switch (row.type) {
    case 'day':
      return <DayRow date={row.date} />
    case 'service':
      return <ServiceRow message={row.wire.message} />
    default:
      return <BubbleRow row={row} {...more} />
  }
}

/** The day of the messages below. */
function DayRow({ date }: { date: number }) {
  return (
    <li class="note-row">
      <span class="plate">{describe(date)}</span>
    </li>
  )
}

function describe(date: number): string {
  const { today, yesterday } = words.value.message
  const days = daysAgo(date)
  if (days === 0) return today
  return days === 1 ? yesterday : formatDay(date)
}
