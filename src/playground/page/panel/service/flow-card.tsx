import type { WireFlow } from '../../../web/api.ts'
import { formatDuration, formatPreciseTime } from '../../words/durations.ts'
import { language, words } from '../../words/language.ts'
import type { FlowGroup, RequestCount } from './flow-groups.ts'
import { formatRoubles, parseRoubles } from './roubles.ts'

/** One request and where its money went, step by step. */
export function FlowCard({ group }: { group: FlowGroup }) {
  const { service } = words.value.panel
  const { at, account, requests, movements, openMicroRub, costMicroRub } = group
  const label = movements.find(({ text }) => text !== '')?.text ?? ''
  const facts = [formatPreciseTime(at), account === '' ? '' : service.account(account), label]
  return (
    <li class="flow">
      <p class="hint small num">{facts.filter((fact) => fact !== '').join(' · ')}</p>
      {requests.map((request) => (
        <RequestLine key={request.text} request={request} />
      ))}
      {movements.length === 0 ? null : (
        <ol class="movements">
          {movements.map((movement) => (
            <Movement key={movement.seq} movement={movement} />
          ))}
        </ol>
      )}
      {movements.length === 0 ? null : (
        <p class="flow-end num">
          <strong>
            {openMicroRub > 0n ? service.open(rub(openMicroRub)) : service.cost(rub(costMicroRub))}
          </strong>
        </p>
      )}
    </li>
  )
}

function RequestLine({ request }: { request: RequestCount }) {
  const { text, count, last } = request
  const { status, duration_ms: durationMs } = last
  const { calls } = words.value.panel
  return (
    <p class="flow-request">
      <span class="call-method">
        {text}
        {count > 1 ? ` × ${count}` : ''}
      </span>
      {durationMs === undefined ? null : (
        <span class="hint small num">{formatDuration(durationMs)}</span>
      )}
      <span class={`mark ${toneOf(status)}`}>{status ?? calls.goingOn}</span>
    </p>
  )
}

function toneOf(status: number | undefined): string {
  if (status === undefined) return ''
  if (status === 429) return 'mark-warm'
  return status < 400 ? 'mark-good' : 'mark-bad'
}

function Movement({ movement }: { movement: WireFlow }) {
  const { service } = words.value.panel
  const { kind, amount_rub: amount } = movement
  if (kind === 'request') return null
  const why = [service.why[kind], differenceOf(movement)].filter((part) => part !== '')
  return (
    <li class="movement">
      <span class="movement-name" data-kind={kind}>
        {service.kinds[kind]}
      </span>
      <span class="num">{amount === undefined ? '' : rub(parseRoubles(amount))}</span>
      <span class="movement-why hint small">{why.join(' · ')}</span>
    </li>
  )
}

/** Returns what goes back of a hold: the part that was not used. */
function differenceOf({ kind, held_rub: held, amount_rub: amount }: WireFlow): string {
  if (kind !== 'settle' || held === undefined) return ''
  const { service } = words.value.panel
  const back = parseRoubles(held) - parseRoubles(amount)
  return back > 0n ? service.back(rub(back)) : service.all
}

function rub(micro: bigint): string {
  return formatRoubles(micro, language.value)
}
