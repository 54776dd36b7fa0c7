import { signal } from '@preact/signals'
import type { WireCall } from '../../../web/api.ts'
import { IconButton } from '../../parts/icon-button.tsx'
import { formatDuration, formatPreciseTime } from '../../words/durations.ts'
import { language, words } from '../../words/language.ts'
import { chatLabel } from '../chat-label.ts'
import { callRates, calls, methods } from '../panel-data.ts'
import { isProblem } from '../rates.ts'
import { VirtualList } from '../virtual-list.tsx'
import { CallDetails } from './call-details.tsx'
import { type CallFilter, filterCalls } from './call-filter.ts'
import { RateChart } from './rate-chart.tsx'
import { StatusBadge } from './status-badge.tsx'

const ROW_HEIGHT = 50

// Kept over another tab of the panel.
const filter = signal<CallFilter>({ method: '', onlyProblems: false, hidesPolls: true })
const isNewestFirst = signal(true)
/** The calls that the list showed when it was paused. */
const paused = signal<readonly WireCall[] | undefined>(undefined)
const chosenSeq = signal<number | undefined>(undefined)

/** Each call to the Bot API, as it happens. */
export function CallsTab() {
  const { panel } = words.value
  const all = paused.value ?? calls.items.value
  const shown = filterCalls(all, filter.value)
  const items = isNewestFirst.value ? shown.toReversed() : shown
  const chosen = all.find(({ seq }) => seq === chosenSeq.value)
  return (
    <>
      <Totals />
      <RateChart />
      <Toolbar all={all} />
      {items.length === 0 ? (
        <p class="panel-empty hint">{all.length === 0 ? panel.calls.none : panel.calls.noneFit}</p>
      ) : (
        <VirtualList
          items={items}
          newEnd={isNewestFirst.value ? 'top' : 'bottom'}
          rowHeight={ROW_HEIGHT}
          label={panel.tabs.calls}
          row={(call) => (
            <CallRow
              call={call}
              isChosen={call.seq === chosenSeq.value}
              onChoose={() => {
                chosenSeq.value = call.seq === chosenSeq.value ? undefined : call.seq
              }}
            />
          )}
        />
      )}
      {chosen === undefined ? null : (
        <CallDetails call={chosen} onClose={() => (chosenSeq.value = undefined)} />
      )}
    </>
  )
}

function Totals() {
  const { totals } = words.value.panel.calls
  // Read for its changes: the sums themselves are no signal.
  void calls.items.value
  const { calls: count, limited, failed, heldMs } = callRates.totals()
  return (
    <dl class="sums num">
      <Sum label={totals.calls} value={count} />
      <Sum label={totals.limited} value={limited} tone={limited > 0 ? 'warm' : ''} />
      <Sum label={totals.failed} value={failed} tone={failed > 0 ? 'bad' : ''} />
      <Sum label={totals.held} value={formatDuration(heldMs)} tone={heldMs > 0 ? 'warm' : ''} />
    </dl>
  )
}

function Sum(props: { label: string; value: number | string; tone?: string }) {
  const { value } = props
  return (
    <div>
      <dt class="hint small">{props.label}</dt>
      <dd class={props.tone}>
        {typeof value === 'number' ? new Intl.NumberFormat(language.value).format(value) : value}
      </dd>
    </div>
  )
}

function Toolbar({ all }: { all: readonly WireCall[] }) {
  const { panel } = words.value
  const set = (change: Partial<CallFilter>) => {
    filter.value = { ...filter.value, ...change }
  }
  return (
    <div class="toolbar">
      <div class="toolbar-row">
        <input
          type="search"
          class="panel-field"
          list="called-methods"
          aria-label={panel.calls.method}
          placeholder={panel.calls.method}
          value={filter.value.method}
          onInput={({ currentTarget }) => set({ method: currentTarget.value })}
        />
        <datalist id="called-methods">
          {methods.value.map((method) => (
            <option key={method} value={method} />
          ))}
        </datalist>
        <IconButton
          icon={isNewestFirst.value ? 'newest-first' : 'newest-last'}
          label={isNewestFirst.value ? panel.calls.newestFirst : panel.calls.newestLast}
          onClick={() => {
            isNewestFirst.value = !isNewestFirst.value
          }}
        />
        <IconButton
          icon={paused.value === undefined ? 'pause' : 'play'}
          label={paused.value === undefined ? panel.pause : panel.goOn}
          isPressed={paused.value !== undefined}
          onClick={() => {
            paused.value = paused.value === undefined ? all : undefined
          }}
        />
        <IconButton
          icon="trash"
          label={panel.clear}
          onClick={() => {
            paused.value = undefined
            chosenSeq.value = undefined
            calls.clear()
            callRates.clear()
          }}
        />
      </div>
      <div class="toolbar-row">
        <label class="choice">
          <input
            type="checkbox"
            checked={filter.value.onlyProblems}
            onChange={({ currentTarget }) => set({ onlyProblems: currentTarget.checked })}
          />
          {panel.calls.onlyProblems}
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={filter.value.hidesPolls}
            onChange={({ currentTarget }) => set({ hidesPolls: currentTarget.checked })}
          />
          {panel.calls.hidesPolls}
        </label>
      </div>
    </div>
  )
}

/** One call in the list; a press shows all of it. */
function CallRow(props: { call: WireCall; isChosen: boolean; onChoose: () => void }) {
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
