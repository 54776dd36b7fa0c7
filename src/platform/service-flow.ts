import { channel } from 'node:diagnostics_channel'

/** A request to the service: published when it comes, when it gets its reference and when it ends, as one object. */
export interface RequestFlow {
  kind: 'request'
  method: string
  route: string
  accountId?: number | undefined
  reference?: string
  status?: number
  durationMs?: number
}

export interface MoneyFlow {
  /** `credit` and `debit` without a reference are the operator's; a task is paid by a `debit`. */
  kind: 'hold' | 'settle' | 'release' | 'keep' | 'debit' | 'refund' | 'credit'
  /** Common to a hold and its end: the request's id, or `task 7` of a task. Empty for an operator's. */
  reference: string
  accountId?: number
  /** The model, or what a task is; of an operator's, its remark. */
  label?: string
  /** Decimal roubles: what is held, charged, given back. Of a hold that is kept, left out where it is not known. */
  amountRub?: string
}

export type ServiceFlow = RequestFlow | MoneyFlow

/** The channel of requests and money. Nothing is done here unless somebody listens. */
export const serviceFlow = channel('kopeck:service-flow')

export function publishFlow(make: () => ServiceFlow): void {
  if (serviceFlow.hasSubscribers) serviceFlow.publish(make())
}
