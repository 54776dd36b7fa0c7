import { formatRub } from '../../contract/money.ts'
import { type MoneyFlow, publishFlow } from '../../platform/tracing/service-flow.ts'

/** A movement of money as the ledger has it. */
export interface MoneyMoved extends Omit<MoneyFlow, 'amountRub' | 'balanceRub'> {
  /** The amount, as `MoneyFlow.amountRub` has it, in millionths of a rouble. */
  amountMicroRub?: bigint
  /** The account's balance after it, where the statement returns it. */
  balanceMicroRub?: bigint | undefined
}

/** Publishes a movement of money. Call it once that is stored; `make` is called only where there is a subscriber. */
export function publishMoney(make: () => MoneyMoved): void {
  publishFlow(() => {
    const { amountMicroRub, balanceMicroRub, ...moved } = make()
    return {
      ...moved,
      ...(amountMicroRub !== undefined && { amountRub: formatRub(amountMicroRub) }),
      ...(balanceMicroRub !== undefined && { balanceRub: formatRub(balanceMicroRub) }),
    }
  })
}

/** Makes the reference of a task's money. */
export function toTaskReference(taskId: number): string {
  return `task ${taskId}`
}
