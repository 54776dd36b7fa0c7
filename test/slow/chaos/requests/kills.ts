import type { TwoServices } from './services.ts'

const REQUESTS_PER_KILL = 400

/** Kills the processes in turn, evenly over a run of so many requests, and never both at a time. */
export function planKills(services: Pick<TwoServices, 'killAndRestart'>, requests: number) {
  const count = Math.ceil(requests / REQUESTS_PER_KILL)
  let begun = 0
  let isOneDown = false
  let restarted = Promise.resolve()
  return { count, before, restarted: () => restarted }

  /** Call it before the request of that index is made. */
  function before(index: number): void {
    const dueIndex = (requests * (begun + 1)) / (count + 1)
    if (isOneDown || begun === count || index < dueIndex) return
    isOneDown = true
    restarted = services.killAndRestart(begun % 2).finally(() => {
      isOneDown = false
    })
    begun += 1
  }
}
