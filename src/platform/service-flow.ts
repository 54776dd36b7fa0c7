import { channel } from 'node:diagnostics_channel'

export interface MoneyFlow {
  /** A task is paid by a `debit`. */
  kind: 'hold' | 'settle' | 'release' | 'keep' | 'debit' | 'refund'
  /** Common to a hold and its end: the request's id, or `task 7` of a task. */
  reference: string
  accountId?: number
  /** The model, or the label of a task. */
  label?: string
  /** Decimal roubles: held, charged or refunded. Left out for a hold that is kept if it is not known. */
  amountRub?: string
}

/** The channel of `MoneyFlow`s: each movement of money, after it is stored. */
export const serviceFlow = channel('kopeck:service-flow')
