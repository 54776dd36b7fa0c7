import type { WireFlow } from '../../../web/api.ts'
import { formatDuration, formatPreciseTime } from '../../words/durations.ts'
import { language, words } from '../../words/language.ts'
import type { FlowGroup, RequestCount } from './flow-groups.ts'
import { formatRoubles, parseRoubles } from './roubles.ts'

/** One request and where its money went, step by step. */
export function FlowCard({ group }: { group: FlowGroup }) {
  const { service } = words.value.panel
  const { at, account, requests, movements, openMicroRub, costMicroRub } = group
  return (
    <li class="flow">
      <p class="hint small num">
        {formatPreciseTime(at)}
        {account === '' ? '' : ` · ${service.account(account)}`}
      </p>
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
      {costMicroRub === 0n && openMicroRub === 0n ? null : (
        <p class="flow-cost num">
          {openMicroRub > 0n ? service.open(rub(openMicroRub)) : service.cost(rub(costMicroRub))}
        </p>
      )}
    </li>
  )
}

function RequestLine({ request }: { request: RequestCount }) {
  const { text, count, last } = request
  const { status, duration_ms: durationMs } = last
  const { calls } = words.value.panel
  const tone =
    status === undefined
      ? ''
      : status < 400
        ? 'mark-good'
        : status === 429
          ? 'mark-warm'
          : 'mark-bad'
  return (
    <p class="flow-request">
      <span class="call-method">
        {text}
        {count > 1 ? ` × ${count}` : ''}
      </span>
      {durationMs === undefined ? null : (
        <span class="hint small num">{formatDuration(durationMs)}</span>
      )}
      <span class={`mark ${tone}`}>{status ?? calls.goingOn}</span>
    </p>
  )
}

function Movement({ movement }: { movement: WireFlow }) {
  const { service } = words.value.panel
  const { kind, text, amount_rub: amount, balance_rub: balance } = movement
  if (kind === 'request') return null
  return (
    <li class="movement">
      <span class="movement-name" data-kind={kind}>
        {service.kinds[kind]}
      </span>
      <span class="movement-amount num">
        {amount === undefined ? '' : rub(parseRoubles(amount))}
      </span>
      <span class="movement-why hint small">
        {[text, service.why[kind], differenceOf(movement)]
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
      {balance === undefined ? null : (
        <span class="movement-balance hint small num">
          {service.balance(rub(parseRoubles(balance)))}
        </span>
      )}
    </li>
  )
}

/** What became of a hold: what was not used goes back. */
function differenceOf({ kind, held_rub: held, amount_rub: amount }: WireFlow): string {
  if (kind !== 'settle' || held === undefined) return ''
  const { service } = words.value.panel
  const back = parseRoubles(held) - parseRoubles(amount)
  return back > 0n ? service.back(rub(back), rub(parseRoubles(held))) : service.all
}

function rub(micro: bigint): string {
  return formatRoubles(micro, language.value)
}
