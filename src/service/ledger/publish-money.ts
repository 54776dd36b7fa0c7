import { formatRub } from '../../contract/money.ts'
import { type MoneyFlow, publishFlow } from '../../platform/service-flow.ts'

/** A movement of money as the ledger has it. */
export interface MoneyMoved extends Omit<MoneyFlow, 'amountRub'> {
  amountMicroRub?: bigint
}

/** Publishes a movement of money. Call it once that is stored; `make` is called only where there is a subscriber. */
export function publishMoney(make: () => MoneyMoved): void {
  publishFlow(() => {
    const { amountMicroRub, ...moved } = make()
    return {
      ...moved,
      ...(amountMicroRub !== undefined && { amountRub: formatRub(amountMicroRub) }),
    }
  })
}

/** Makes the reference of a task's money. */
export function toTaskReference(taskId: number): string {
  return `task ${taskId}`
}
