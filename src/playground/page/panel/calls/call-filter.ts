import type { WireCall } from '../../../web/api.ts'
import { isProblem } from '../rates.ts'

/** The filter of the calls that the list shows. */
export interface CallFilter {
  /** A part of the method's name; empty for all. */
  method: string
  onlyProblems: boolean
  /** The poll for updates is asked again and again, and says little. */
  hidesPolls: boolean
}

/** Keeps the calls that a filter asks for. */
export function filterCalls(calls: readonly WireCall[], filter: CallFilter): readonly WireCall[] {
  const part = filter.method.trim().toLowerCase()
  if (part === '' && !filter.onlyProblems && !filter.hidesPolls) return calls
  return calls.filter((call) => {
    const method = call.method.toLowerCase()
    if (filter.onlyProblems && !isProblem(call)) return false
    // Somebody who looks for it by name, or for its failures, means it.
    if (filter.hidesPolls && method === 'getupdates' && part === '' && !isProblem(call))
      return false
    return method.includes(part)
  })
}
