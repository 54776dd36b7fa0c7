import { computed, signal } from '@preact/signals'
import type { WireCall, WireFault, WireFlow, WireLint } from '../../web/api.ts'
import { listen } from '../live.ts'
import { createBoundedList } from './bounded-list.ts'
import { createCallRates } from './rates.ts'

/** Rows of each list: in a flood older ones make way. */
const ROWS_MAX = 1_000

export const calls = createBoundedList<WireCall>(ROWS_MAX, withNextFrame)
export const lints = createBoundedList<WireLint>(ROWS_MAX, withNextFrame)
export const flow = createBoundedList<WireFlow>(ROWS_MAX, withNextFrame)
export const faults = signal<readonly WireFault[]>([])
export const callRates = createCallRates()

/** Methods that the bot has called, for those who look for one. */
export const methods = computed(() => {
  const names = new Set(calls.items.value.map(({ method }) => method))
  return [...names].sort()
})

let build: string | undefined

/** Follows events from now on; they come while the panel stands open. */
export function followPanel(): void {
  listen('state', (state) => {
    // A server that started again counts from the start.
    if (build !== undefined && build !== state.build) {
      for (const list of [calls, lints, flow, callRates]) list.reset()
    }
    build = state.build
  })
  listen('calls', (changes) => {
    callRates.take(changes)
    calls.take(changes)
  })
  listen('lints', lints.take)
  listen('flow', flow.take)
  listen('faults', (all) => {
    faults.value = all
  })
}

/** Nothing is drawn more often than the screen is; a hidden page draws when it is shown. */
function withNextFrame(show: () => void): void {
  requestAnimationFrame(show)
}
