import { formatRub } from '../../contract/money.ts'
import { type MoneyFlow, serviceFlow } from '../../platform/service-flow.ts'

interface MoneyMoved extends Omit<MoneyFlow, 'amountRub'> {
  amountMicroRub: bigint | undefined
}

/** Publishes a movement of money. Call it after the movement is stored. */
export function publishMoney({ amountMicroRub: amount, ...moved }: MoneyMoved): void {
  if (!serviceFlow.hasSubscribers) return
  const rub = amount !== undefined && { amountRub: formatRub(amount) }
  const flow: MoneyFlow = { ...moved, ...rub }
  serviceFlow.publish(flow)
}
