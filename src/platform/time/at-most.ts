/**
 * Runs at most so many steps at once, and `ofOneMax` steps of one owner.
 * Waiting owners take turns, so that no burst of one holds up another; the steps of an owner keep their order.
 */
export function atMost(stepsMax: number, { ofOneMax = stepsMax } = {}) {
  let running = 0
  const runningOf = new Map<number, number>()
  const waiting = new Map<number, (() => void)[]>()
  return run

  async function run<T>(step: () => Promise<T>, of = 0): Promise<T> {
    if (mayBegin(of)) begin(of)
    else await new Promise<void>((resolve) => wait(of, resolve))
    try {
      return await step()
    } finally {
      end(of)
    }
  }

  function mayBegin(of: number): boolean {
    return running < stepsMax && (runningOf.get(of) ?? 0) < ofOneMax
  }

  function begin(of: number): void {
    running += 1
    runningOf.set(of, (runningOf.get(of) ?? 0) + 1)
  }

  function wait(of: number, resolve: () => void): void {
    const queue = waiting.get(of)
    if (queue === undefined) waiting.set(of, [resolve])
    else queue.push(resolve)
  }

  function end(of: number): void {
    running -= 1
    const left = (runningOf.get(of) ?? 0) - 1
    if (left > 0) runningOf.set(of, left)
    else runningOf.delete(of)
    for (const [next, queue] of waiting) {
      if (!mayBegin(next)) continue
      const resolve = queue.shift()
      waiting.delete(next)
      if (queue.length > 0) waiting.set(next, queue)
      begin(next)
      resolve?.()
      return
    }
  }
}
