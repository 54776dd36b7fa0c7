import { channel } from 'node:diagnostics_channel'

/** A request to the service: told when it comes, when it gets its reference and when it ends, as one object. */
export interface RequestFlow {
  kind: 'request'
  method: string
  /** The pattern of its route; `unknown` where there is none. */
  route: string
  /** Once its key is known. */
  accountId?: number | undefined
  /** Of the hold or the task that it came to. */
  reference?: string
  /** Once it has ended. */
  status?: number
  durationMs?: number
}

/** A movement of money, told after it is stored. */
export interface MoneyFlow {
  /** `credit` and `debit` without a reference are the operator's; a task is paid by a `debit`. */
  kind: 'hold' | 'settle' | 'release' | 'keep' | 'debit' | 'refund' | 'credit'
  /** What belongs together: the request's id of a hold and its end, `task 7` of a task. Empty for an operator's. */
  reference: string
  /** Left out by the end of a hold, which is the hold's. */
  accountId?: number
  /** The model, or what a task is; of an operator's, its note. */
  label?: string
  /** Decimal roubles: what is held, charged, given back. Of a hold that is kept, left out where it is not known. */
  amountRub?: string
  /** After it, where the statement tells. */
  balanceRub?: string
}

export type ServiceFlow = RequestFlow | MoneyFlow

/** Where requests and money are told. Nothing listens unless somebody looks on, and then nothing is done here. */
export const serviceFlow = channel('kopeck:service-flow')

/** Tells what happened, if somebody listens: `make` is called only then. */
export function publishFlow(make: () => ServiceFlow): void {
  if (serviceFlow.hasSubscribers) serviceFlow.publish(make())
}
