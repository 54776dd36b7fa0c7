import type { ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { WireMessage } from '../../../web/api.ts'
import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'

interface EndButtonProps {
  isAtEnd: ReadonlySignal<boolean>
  messages: readonly WireMessage[]
  as: number | undefined
  onPress: () => void
}

/** Leads back to the last message, and says how many came since it was in sight. */
export function EndButton({ isAtEnd, messages, as, onPress }: EndButtonProps) {
  const lastSeen = useRef(0)
  if (isAtEnd.value) {
    lastSeen.current = messages.at(-1)?.message.message_id ?? 0
    return null
  }
  const count = messages.filter(
    ({ message }) => message.message_id > lastSeen.current && message.from?.id !== as,
  ).length
  const { newMessages, toEnd } = words.value.message
  return (
    <button
      type="button"
      class="end-button"
      aria-label={count === 0 ? toEnd : `${toEnd}: ${newMessages(count)}`}
      onClick={onPress}
    >
      <Icon name="down" />
      {count === 0 ? null : <span class="end-count num">{count}</span>}
    </button>
  )
}
