import type { Signal } from '@preact/signals'
import type { ChatState } from '../../state/chat-state.ts'
import { words } from '../../words/language.ts'
import { BubbleRow } from '../bubble/bubble-row.tsx'
import type { Chunk, Row } from '../bubble/rows.ts'
import { ServiceRow } from '../bubble/service-row.tsx'
import { DayRow } from './day-row.tsx'

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
