import type { WireCall } from '../../web/api.ts'

/** Calls that began in one second. */
export interface SecondOfCalls {
  /** Unix time in seconds. */
  second: number
  calls: number
  /** Refused with 429. */
  limited: number
  /** Refused otherwise, or cut. */
  failed: number
}

/** Sums since the list was cleared. */
export interface CallTotals {
  calls: number
  limited: number
  failed: number
  /** How long flood control kept them all. */
  heldMs: number
}

/** How far back the chart shows. */
export const CHART_SECONDS = 60

/** Calls that are going on are remembered until they end; a bot has no more at a time. */
const OPEN_CALLS_MAX = 20_000

const NO_TOTALS: CallTotals = { calls: 0, limited: 0, failed: 0, heldMs: 0 }

/** Checks whether the answer is one that a bot's author wants to see. */
export function isProblem({ status }: Pick<WireCall, 'status'>): boolean {
  return status !== null && (status < 200 || status > 299)
}

/**
 * Counts calls as they come and end, without the list: a flood leaves the list sooner than the minute
 * that the chart shows.
 */
export function createCallRates() {
  const seconds = new Map<number, SecondOfCalls>()
  const open = new Set<number>()
  let lastSeq = 0
  let totals = NO_TOTALS
  return { take, at, totals: () => totals, clear, reset }

  function take(changes: readonly WireCall[]): void {
    for (const call of changes) {
      if (call.seq > lastSeq) {
        lastSeq = call.seq
        begin(call)
      } else if (call.status !== null && open.delete(call.seq)) end(call)
    }
  }

  function begin(call: WireCall): void {
    secondOf(call).calls++
    totals = { ...totals, calls: totals.calls + 1 }
    if (call.status !== null) end(call)
    else if (open.size < OPEN_CALLS_MAX) open.add(call.seq)
  }

  function end(call: WireCall): void {
    const limited = call.status === 429 ? 1 : 0
    const failed = isProblem(call) && !limited ? 1 : 0
    const second = secondOf(call)
    second.limited += limited
    second.failed += failed
    totals = {
      ...totals,
      limited: totals.limited + limited,
      failed: totals.failed + failed,
      heldMs: totals.heldMs + call.held_ms,
    }
  }

  function secondOf({ at }: WireCall): SecondOfCalls {
    const second = Math.floor(at / 1_000)
    const known = seconds.get(second) ?? { second, calls: 0, limited: 0, failed: 0 }
    if (!seconds.has(second)) forgetBefore(second - 2 * CHART_SECONDS)
    seconds.set(second, known)
    return known
  }

  function forgetBefore(oldest: number): void {
    for (const second of seconds.keys()) if (second < oldest) seconds.delete(second)
  }

  /** The last minute, oldest first, a second without calls included. */
  function at(nowMs: number): SecondOfCalls[] {
    const newest = Math.floor(nowMs / 1_000)
    return Array.from({ length: CHART_SECONDS }, (_, index) => {
      const second = newest - CHART_SECONDS + 1 + index
      return seconds.get(second) ?? { second, calls: 0, limited: 0, failed: 0 }
    })
  }

  function clear(): void {
    totals = NO_TOTALS
    seconds.clear()
  }

  function reset(): void {
    clear()
    open.clear()
    lastSeq = 0
  }
}
