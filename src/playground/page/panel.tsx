import { signal } from '@preact/signals'
import type { WireFlow } from '../web/api.ts'
import { costOf, type FlowGroup, formatRoubles, groupFlow, heldIn, parseRoubles } from './flow.ts'
import { IconButton } from './parts/icons.tsx'
import { listen } from './state/live.ts'
import { replaceRoute } from './state/route.ts'
import { formatPreciseTime } from './words/dates.ts'
import { language, words } from './words/language.ts'

const CARDS_MAX = 60

/** Movements that the panel keeps; older ones make way. */
const STEPS_MAX = 1_000

/** The movements of money in one run of the server, oldest first. */
const steps = signal<{ build: string; flow: readonly WireFlow[] }>({ build: '', flow: [] })

const TONES: Readonly<Record<WireFlow['kind'], string>> = {
  hold: '',
  settle: 'bad',
  keep: 'bad',
  debit: 'bad',
  release: 'good',
  refund: 'good',
}

/** Follows the service; its movements come while the panel is open. */
export function followFlow(): void {
  // The first of each connection is the whole list.
  listen('state', ({ build }) => {
    if (build !== steps.value.build) steps.value = { build, flow: [] }
  })
  listen('flow', (flow) => {
    const { build, flow: known } = steps.value
    const lastSeq = known.at(-1)?.seq ?? 0
    const news = flow.filter(({ seq }) => seq > lastSeq)
    steps.value = { build, flow: [...known, ...news].slice(-STEPS_MAX) }
  })
}

export function Panel() {
  const { close, panel, shell } = words.value
  const groups = groupFlow(steps.value.flow)
  return (
    <aside class="panel" aria-label={shell.panel}>
      <header class="header">
        <h2 class="fill">{panel.title}</h2>
        <IconButton icon="close" label={close} onClick={() => replaceRoute({ hasPanel: false })} />
      </header>
      <dl class="sums num">
        <div>
          <dt class="hint small">{panel.sums.cost}</dt>
          <dd>{rub(costOf(groups))}</dd>
        </div>
        <div>
          <dt class="hint small">{panel.sums.held}</dt>
          <dd>{rub(heldIn(groups))}</dd>
        </div>
      </dl>
      {groups.length === 0 ? (
        <div class="panel-empty stack hint">
          <p>{panel.none}</p>
          <p>{panel.remote}</p>
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard as well.
        <ul class="panel-scroll scroll" aria-label={panel.title} tabIndex={0}>
          {groups
            .slice(-CARDS_MAX)
            .reverse()
            .map((group) => (
              <FlowCard key={group.key} group={group} />
            ))}
        </ul>
      )}
    </aside>
  )
}

function FlowCard({ group }: { group: FlowGroup }) {
  const { panel } = words.value
  const { at, account, movements, openMicroRub, costMicroRub } = group
  const label = movements.find(({ text }) => text !== '')?.text ?? ''
  const facts = [formatPreciseTime(at), account === '' ? '' : panel.account(account), label]
  return (
    <li class="flow">
      <p class="hint small num">{facts.filter((fact) => fact !== '').join(' · ')}</p>
      <ol class="movements">
        {movements.map((movement) => (
          <Movement key={movement.seq} movement={movement} />
        ))}
      </ol>
      <p class="flow-end num">
        <strong>
          {openMicroRub > 0n ? panel.open(rub(openMicroRub)) : panel.cost(rub(costMicroRub))}
        </strong>
      </p>
    </li>
  )
}

function Movement({ movement }: { movement: WireFlow }) {
  const { kinds, why } = words.value.panel
  const { kind, amount_rub: amount } = movement
  const reasons = [why[kind], differenceOf(movement)].filter((part) => part !== '')
  return (
    <li class="movement">
      <span class={`movement-name ${TONES[kind]}`}>{kinds[kind]}</span>
      <span class="num">{amount === undefined ? '' : rub(parseRoubles(amount))}</span>
      <span class="hint small">{reasons.join(' · ')}</span>
    </li>
  )
}

function differenceOf({ kind, held_rub: held, amount_rub: amount }: WireFlow): string {
  if (kind !== 'settle' || held === undefined) return ''
  const { panel } = words.value
  const back = parseRoubles(held) - parseRoubles(amount)
  return back > 0n ? panel.back(rub(back)) : panel.all
}

function rub(micro: bigint): string {
  return formatRoubles(micro, language.value)
}
