import type { WireCall } from '../../../web/api.ts'
import { formatDuration, formatPreciseTime } from '../../words/durations.ts'
import { words } from '../../words/language.ts'
import { chatLabel } from '../chat-label.ts'
import { isProblem } from '../rates.ts'
import { StatusBadge } from './status-badge.tsx'

export const ROW_HEIGHT = 50

/** One call in the list; a press shows all of it. */
export function CallRow(props: { call: WireCall; isChosen: boolean; onChoose: () => void }) {
  const { call, isChosen, onChoose } = props
  const { calls } = words.value.panel
  const facts = [
    formatPreciseTime(call.at),
    chatLabel(call.chat_id),
    call.duration_ms === null ? '' : formatDuration(call.duration_ms),
    call.held_ms > 0 ? calls.held(formatDuration(call.held_ms)) : '',
    call.fault === undefined ? '' : calls.fault(call.fault),
  ]
  return (
    <button
      type="button"
      class="call"
      data-tone={call.status === 429 ? 'warm' : isProblem(call) ? 'bad' : undefined}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <span class="call-line">
        <span class="call-method cut">{call.method}</span>
        <StatusBadge call={call} />
      </span>
      <span class="hint small num cut">{facts.filter((fact) => fact !== '').join(' · ')}</span>
    </button>
  )
}
