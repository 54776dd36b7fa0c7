import type { Clock } from '../../platform/time/clock.ts'
import type { Ask } from './answer.ts'

interface Limit {
  max: number
  spanMs: number
}

const MINUTE_MS = 60_000

/** The limits of the interface, by endpoint. */
export const LIMITS = {
  chats: { max: 30, spanMs: MINUTE_MS },
  clips: { max: 3, spanMs: MINUTE_MS },
  secrets: { max: 10, spanMs: MINUTE_MS },
  polls: { max: 1, spanMs: 3_000 },
} as const satisfies Record<string, Limit>

/** By path; one of a task is its own. */
const LIMIT_OF: Readonly<Record<string, Limit>> = {
  '/chats/completions': LIMITS.chats,
  '/videos/vidgen-generate': LIMITS.clips,
  '/callback/secret': LIMITS.secrets,
}
/** Added to a wait, so that earlier requests are surely older than the span when this one arrives. */
const MARGIN_MS = 100

/**
 * Creates the pace that keeps requests within the limits of the interface, of each key.
 *
 * @returns A function that waits until the request may be sent, and counts it.
 */
export function createPaces(clock: Pick<Clock, 'now' | 'sleep'>) {
  const sentAtMs = new Map<string, number[]>()
  return async ({ path, isPaced = true }: Ask, apiKey = ''): Promise<void> => {
    const limit = LIMIT_OF[path] ?? (path.startsWith('/task/') ? LIMITS.polls : undefined)
    if (limit === undefined) return
    const name = `${apiKey} ${path}`
    while (isPaced) {
      const now = clock.now()
      const recent = (sentAtMs.get(name) ?? []).filter((at) => now - at < limit.spanMs + MARGIN_MS)
      const next = recent.at(-limit.max)
      if (next === undefined) break
      await clock.sleep(next + limit.spanMs + MARGIN_MS - now)
    }
    sentAtMs.set(name, [...(sentAtMs.get(name) ?? []).slice(-limit.max), clock.now()])
  }
}
