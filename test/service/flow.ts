import { onTestFinished } from 'vitest'
import { type MoneyFlow, type ServiceFlow, serviceFlow } from '../../src/platform/service-flow.ts'

/** Collects every flow that the service of this process publishes, as it was then, until the test has finished. */
export function hearFlow() {
  const published: ServiceFlow[] = []
  const hear = (flow: unknown) => void published.push({ ...(flow as ServiceFlow) })
  serviceFlow.subscribe(hear)
  onTestFinished(() => void serviceFlow.unsubscribe(hear))
  return {
    published,
    money: (): MoneyFlow[] => published.filter((flow) => flow.kind !== 'request'),
  }
}
