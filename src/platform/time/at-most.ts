/** Makes a function that runs at most so many steps at once: further ones wait for their turn, in order. */
export function atMost(stepsMax: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return run

  async function run<T>(step: () => Promise<T>): Promise<T> {
    if (running === stepsMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await step()
    } finally {
      // The next in the queue begins.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
