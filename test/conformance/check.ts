import { inject, test } from 'vitest'
import { openService } from './open-service.ts'
import { NotSeenError, type Service } from './service.ts'

type Run = (service: Service) => Promise<void>

const checks = new Map<string, Run>()
let isCollecting = false

/**
 * Defines a check of one rule of the interface, as a test of the service of this run.
 *
 * A rule that cannot be seen at this service is a skipped test, never a passed one.
 */
export function check(name: string, run: Run): void {
  checks.set(name, run)
  if (isCollecting) return
  test(name, async ({ skip }) => {
    try {
      await run(await openService(inject('service')))
    } catch (error) {
      if (error instanceof NotSeenError) skip(`not seen: ${error.message}`)
      throw error
    }
  })
}

/** Collects the checks of the loaded files without running them. */
export async function collectChecks(load: () => Promise<unknown>): Promise<Map<string, Run>> {
  isCollecting = true
  await load()
  isCollecting = false
  return checks
}

/** Plays something once for each service, for all checks that look at it. */
export function once<T>(play: (service: Service) => Promise<T>) {
  const played = new WeakMap<Service, Promise<T>>()
  return (service: Service): Promise<T> => {
    const first = played.get(service) ?? play(service)
    played.set(service, first)
    return first
  }
}
