import { useEffect, useRef } from 'preact/hooks'
import type { WireCall } from '../../../web/api.ts'
import { IconButton } from '../../parts/icon-button.tsx'
import { formatDuration, formatPreciseTime } from '../../words/durations.ts'
import { words } from '../../words/language.ts'
import { formatSize } from '../../words/sizes.ts'
import { chatLabel } from '../chat-label.ts'
import { StatusBadge } from './status-badge.tsx'

/** All that is known of one call: what was asked, and what was answered. */
export function CallDetails({ call, onClose }: { call: WireCall; onClose: () => void }) {
  const { close, panel } = words.value
  const { calls } = panel
  const part = useRef<HTMLElement>(null)
  useEffect(() => {
    part.current?.scrollTo(0, 0)
  }, [call.seq])
  const params = Object.entries(call.params)
  return (
    <section ref={part} class="details" aria-label={call.method}>
      <header class="details-header">
        <h3 class="cut">{call.method}</h3>
        <StatusBadge call={call} />
        <IconButton icon="close" label={close} onClick={onClose} />
      </header>
      <p class="hint small num">
        {formatPreciseTime(call.at)}
        {call.duration_ms === null ? '' : ` · ${formatDuration(call.duration_ms)}`}
        {call.chat_id === 0 ? '' : ` · ${chatLabel(call.chat_id)}`}
      </p>
      {call.held_ms > 0 ? (
        <p class="warm small">{calls.heldLong(formatDuration(call.held_ms))}</p>
      ) : null}
      {call.fault === undefined ? null : <p class="warm small">{calls.faultLong(call.fault)}</p>}
      <h4>{calls.params}</h4>
      {params.length === 0 && call.files.length === 0 ? (
        <p class="hint small">{calls.noParams}</p>
      ) : (
        <dl class="params">
          {params.map(([name, value]) => (
            <Param key={name} name={name} value={toReadable(value)} />
          ))}
          {call.files.map(({ name, file_name: fileName, mime, size }) => (
            <Param key={name} name={name} value={`${fileName} · ${mime} · ${formatSize(size)}`} />
          ))}
        </dl>
      )}
      <h4>{calls.answer}</h4>
      {call.description === undefined ? null : <p class="bad">{call.description}</p>}
      {call.retry_after === undefined ? null : (
        <p class="warm small">{calls.retryAfterLong(call.retry_after)}</p>
      )}
      {call.result === undefined ? null : <pre class="json">{toReadable(call.result)}</pre>}
      {call.status === null ? <p class="hint small">{calls.goingOn}</p> : null}
      {call.status === 0 ? <p class="bad small">{calls.cutLong}</p> : null}
    </section>
  )
}

function Param({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** JSON over several lines; what is none, or was shortened in its middle, as it is. */
function toReadable(value: string): string {
  if (!/^[[{]/.test(value)) return value
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    // Shortened: it is read as it is.
    return value
  }
}
