const KEPT_MS = 1_000

/** Caches the result of a read for a second, so that a change by another process is seen soon. */
export function cached<T>(read: () => Promise<T>): { read: () => Promise<T>; evict: () => void } {
  let reading: { result: Promise<T>; untilMs: number } | undefined
  return {
    async read() {
      if (reading === undefined || performance.now() >= reading.untilMs) {
        reading = { result: read(), untilMs: performance.now() + KEPT_MS }
      }
      const { result } = reading
      try {
        return await result
      } catch (error) {
        if (reading?.result === result) reading = undefined
        throw error
      }
    },
    evict() {
      reading = undefined
    },
  }
}
