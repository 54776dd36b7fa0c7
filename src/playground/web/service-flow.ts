import {
  type MoneyFlow,
  type RequestFlow,
  type ServiceFlow,
  serviceFlow,
} from '../../platform/service-flow.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { WireFlow } from './api.ts'

/** Entries that are kept for a panel that opens later. */
const FLOWS_MAX = 1_000
/** Holds that may be open at once; beyond it the settlement of the oldest shows no held amount. */
const HOLDS_MAX = 10_000

export interface ServiceFlowDeps {
  clock?: Pick<Clock, 'date'>
  /** Takes new entries, and changed ones under the `seq` they had. */
  onFlow: (flow: WireFlow) => void
}

/** Listens to what the service of this process does, until `stop()`. Nothing comes of a service elsewhere. */
export function watchServiceFlow({ clock = systemClock, onFlow }: ServiceFlowDeps) {
  const flows: WireFlow[] = []
  const requests = new WeakMap<RequestFlow, WireFlow>()
  const holds = new Map<string, WireFlow>()
  let lastSeq = 0
  serviceFlow.subscribe(take)
  return {
    /** The last of them, oldest first. */
    flows: flows as readonly WireFlow[],
    stop: () => void serviceFlow.unsubscribe(take),
  }

  function take(message: unknown): void {
    const flow = message as ServiceFlow
    onFlow(flow.kind === 'request' ? takeRequest(flow) : takeMoney(flow))
  }

  function takeRequest(request: RequestFlow): WireFlow {
    const known = requests.get(request)
    const wire = known ?? add('request', toText(request))
    requests.set(request, wire)
    const { reference, accountId, status, durationMs } = request
    return Object.assign(wire, {
      ...(reference !== undefined && { reference }),
      ...(accountId !== undefined && { account: String(accountId) }),
      ...(status !== undefined && { status }),
      ...(durationMs !== undefined && { duration_ms: durationMs }),
    })
  }

  function takeMoney({ kind, reference, accountId, label, ...money }: MoneyFlow): WireFlow {
    const hold = holds.get(reference)
    const amount = money.amountRub ?? hold?.amount_rub
    const wire = Object.assign(add(kind, label ?? hold?.text ?? ''), {
      reference,
      account: String(accountId ?? hold?.account ?? ''),
      ...(amount !== undefined && { amount_rub: amount }),
      ...(hold?.amount_rub !== undefined && { held_rub: hold.amount_rub }),
    })
    if (kind === 'hold') remember(reference, wire)
    else holds.delete(reference)
    return wire
  }

  function add(kind: WireFlow['kind'], text: string): WireFlow {
    lastSeq += 1
    const at = clock.date().getTime()
    const wire: WireFlow = { seq: lastSeq, at, kind, reference: '', account: '', text }
    flows.push(wire)
    if (flows.length > FLOWS_MAX) flows.shift()
    return wire
  }

  function remember(reference: string, hold: WireFlow): void {
    holds.set(reference, hold)
    const [oldest] = holds.keys()
    if (holds.size > HOLDS_MAX && oldest !== undefined) holds.delete(oldest)
  }
}

/** Names a request as the interface does, without the prefix that all routes share. */
function toText({ method, route }: RequestFlow): string {
  return `${method} ${route.replace(/^\/api\/v\d+(?=\/)/, '')}`
}
