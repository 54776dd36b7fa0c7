import { formatRub } from '../../contract/money.ts'
import { type MoneyFlow, publishFlow } from '../../platform/tracing/service-flow.ts'

/** A movement of money as the ledger has it. */
export interface MoneyMoved extends Omit<MoneyFlow, 'amountRub' | 'balanceRub'> {
  /** As `MoneyFlow.amountRub`, in millionths of a rouble. */
  amountMicroRub?: bigint
  /** The account's after it, where the statement tells. */
  balanceMicroRub?: bigint | undefined
}

/** Tells those who look on that money has moved. Call it once that is stored; `make` is called only for them. */
export function tellMoney(make: () => MoneyMoved): void {
  publishFlow(() => {
    const { amountMicroRub, balanceMicroRub, ...moved } = make()
    return {
      ...moved,
      ...(amountMicroRub !== undefined && { amountRub: formatRub(amountMicroRub) }),
      ...(balanceMicroRub !== undefined && { balanceRub: formatRub(balanceMicroRub) }),
    }
  })
}

/** How a task's money is told. */
export function toTaskReference(taskId: number): string {
  return `task ${taskId}`
}
