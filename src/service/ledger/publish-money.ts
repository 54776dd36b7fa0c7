import { formatRub } from '../../contract/money.ts'
import { type MoneyFlow, publishFlow } from '../../platform/service-flow.ts'

interface MoneyMoved extends Omit<MoneyFlow, 'amountRub'> {
  amountMicroRub: bigint | undefined
}

/** Publishes a movement of money. Call it after the movement is stored. */
export function publishMoney({ amountMicroRub: amount, ...moved }: MoneyMoved): void {
  publishFlow(() => ({ ...moved, ...(amount !== undefined && { amountRub: formatRub(amount) }) }))
}

export function toTaskReference(taskId: number): string {
  return `task ${taskId}`
}
