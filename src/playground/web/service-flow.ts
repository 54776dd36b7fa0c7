import { type MoneyFlow, serviceFlow } from '../../platform/service-flow.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { WireFlow } from './api.ts'

const FLOWS_MAX = 1_000
const HOLDS_MAX = 10_000

export interface ServiceFlowDeps {
  clock?: Pick<Clock, 'date'>
  onFlow: (flow: WireFlow) => void
}

/** Listens to the money of the service of this process, until `stop()`. Nothing comes of a service elsewhere. */
export function watchServiceFlow({ clock = systemClock, onFlow }: ServiceFlowDeps) {
  const flows: WireFlow[] = []
  const holds = new Map<string, WireFlow>()
  let lastSeq = 0
  serviceFlow.subscribe(take)
  return {
    flows: flows as readonly WireFlow[],
    stop: () => void serviceFlow.unsubscribe(take),
  }

  function take(message: unknown): void {
    const wire = toWire(message as MoneyFlow)
    flows.push(wire)
    if (flows.length > FLOWS_MAX) flows.shift()
    onFlow(wire)
  }

  function toWire({ kind, reference, accountId, label, amountRub }: MoneyFlow): WireFlow {
    const hold = holds.get(reference)
    const amount = amountRub ?? hold?.amount_rub
    lastSeq += 1
    const wire: WireFlow = {
      seq: lastSeq,
      at: clock.date().getTime(),
      kind,
      reference,
      account: String(accountId ?? hold?.account ?? ''),
      text: label ?? hold?.text ?? '',
      ...(amount !== undefined && { amount_rub: amount }),
      ...(hold?.amount_rub !== undefined && { held_rub: hold.amount_rub }),
    }
    if (kind === 'hold') holds.set(reference, wire)
    else holds.delete(reference)
    const [oldest] = holds.keys()
    if (holds.size > HOLDS_MAX && oldest !== undefined) holds.delete(oldest)
    return wire
  }
}
