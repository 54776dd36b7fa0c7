import type { Message } from 'grammy/types'
import { Icon } from '../../parts/icons.tsx'
import { formatInstant, formatTime } from '../../words/dates.ts'
import { words } from '../../words/language.ts'

/** Shows when a message was written, and if it was edited since. */
export function Meta({ message, isPinned }: { message: Message; isPinned: boolean }) {
  const { edited, pinned } = words.value.message
  return (
    <span class="meta">
      {isPinned ? (
        <span class="meta-pin" role="img" aria-label={pinned} title={pinned}>
          <Icon name="pin" />
        </span>
      ) : null}
      {message.edit_date === undefined ? null : (
        <span title={formatInstant(message.edit_date)}>{edited} </span>
      )}
      <time
        dateTime={new Date(message.date * 1000).toISOString()}
        title={formatInstant(message.date)}
      >
        {formatTime(message.date)}
      </time>
    </span>
  )
}
