import type { Signal } from '@preact/signals'
import type { ChatState } from '../../state/chat-state.ts'
import { words } from '../../words/language.ts'
import { BubbleRow } from '../bubble/bubble-row.tsx'
import { ServiceRow } from '../bubble/service-row.tsx'
import { DayRow } from './day-row.tsx'
import type { Row } from './rows.ts'

interface RowOfProps {
  row: Row
  chat: ChatState
  /** The one message that Tab leads to; arrows lead on from there. */
  isCurrent: boolean
  /** Becomes the row's key when the keyboard comes to it. */
  current: Signal<string | undefined>
  onGo: (messageId: number) => void
}

/** One line of a chat. */
export function RowOf({ row, ...more }: RowOfProps) {
  // Reading a signal makes Preact compare properties, and leave a row alone that has the same.
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
