import { signal } from '@preact/signals'
import type { WireFlow } from '../../../web/api.ts'
import { IconButton } from '../../parts/icon-button.tsx'
import { language, words } from '../../words/language.ts'
import { flow } from '../panel-data.ts'
import { FlowCard } from './flow-card.tsx'
import { costOf, groupFlow, heldIn } from './flow-groups.ts'
import { formatRoubles } from './roubles.ts'

/** Cards are of any height, so they are all drawn: as many as somebody reads. */
const CARDS_MAX = 60

const onlyMoney = signal(true)
const paused = signal<readonly WireFlow[] | undefined>(undefined)

/** Shows what the embedded service does, request by request, and where every kopeck goes. */
export function ServiceTab() {
  const { panel } = words.value
  const { service } = panel
  const steps = paused.value ?? flow.items.value
  const groups = groupFlow(steps)
  const shown = onlyMoney.value ? groups.filter(({ movements }) => movements.length > 0) : groups
  const rub = (micro: bigint) => formatRoubles(micro, language.value)
  return (
    <>
      <dl class="sums num">
        <div>
          <dt class="hint small">{service.sums.cost}</dt>
          <dd>{rub(costOf(groups))}</dd>
        </div>
        <div>
          <dt class="hint small">{service.sums.held}</dt>
          <dd>{rub(heldIn(groups))}</dd>
        </div>
      </dl>
      <div class="toolbar toolbar-row">
        <label class="choice">
          <input
            type="checkbox"
            checked={onlyMoney.value}
            onChange={({ currentTarget }) => (onlyMoney.value = currentTarget.checked)}
          />
          {service.onlyMoney}
        </label>
        <span class="toolbar-gap" />
        <IconButton
          icon={paused.value === undefined ? 'pause' : 'play'}
          label={paused.value === undefined ? panel.pause : panel.goOn}
          isPressed={paused.value !== undefined}
          onClick={() => {
            paused.value = paused.value === undefined ? steps : undefined
          }}
        />
        <IconButton
          icon="trash"
          label={panel.clear}
          onClick={() => {
            paused.value = undefined
            flow.clear()
          }}
        />
      </div>
      {shown.length === 0 ? (
        <div class="panel-empty hint">
          <p>{service.none}</p>
          <p>{service.remote}</p>
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with the keyboard too.
        <ul class="panel-scroll" aria-label={panel.tabs.service} tabIndex={0}>
          {shown
            .slice(-CARDS_MAX)
            .reverse()
            .map((group) => (
              <FlowCard key={group.key} group={group} />
            ))}
        </ul>
      )}
    </>
  )
}
