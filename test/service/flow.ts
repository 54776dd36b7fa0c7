import { onTestFinished } from 'vitest'
import {
  type MoneyFlow,
  type ServiceFlow,
  serviceFlow,
} from '../../src/platform/tracing/service-flow.ts'

/** Everything that the service of this process tells, each as it was then, until the test has finished. */
export function hearFlow() {
  const told: ServiceFlow[] = []
  const hear = (flow: unknown) => void told.push({ ...(flow as ServiceFlow) })
  serviceFlow.subscribe(hear)
  onTestFinished(() => void serviceFlow.unsubscribe(hear))
  return {
    told,
    money: (): MoneyFlow[] => told.filter((flow) => flow.kind !== 'request'),
  }
}
