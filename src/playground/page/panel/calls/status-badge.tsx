import type { WireCall } from '../../../web/api.ts'
import { words } from '../../words/language.ts'

/** How a call ended: its HTTP status, marked where the bot had to slow down, or was refused. */
export function StatusBadge({ call }: { call: WireCall }) {
  const { status, retry_after: retryAfter } = call
  const { calls } = words.value.panel
  if (status === null) return <span class="mark">{calls.goingOn}</span>
  if (status === 0) return <span class="mark mark-bad">{calls.cut}</span>
  if (status === 429) {
    return (
      <span class="mark mark-warm">
        429{retryAfter === undefined ? '' : ` · ${calls.retryAfter(retryAfter)}`}
      </span>
    )
  }
  return <span class={`mark ${status < 300 ? 'mark-good' : 'mark-bad'}`}>{status}</span>
}
