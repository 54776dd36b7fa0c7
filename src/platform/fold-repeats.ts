import { systemClock } from './time/clock.ts'

export interface TroubleLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const INTERVAL_MS = 60_000
const TROUBLES_MAX = 100

/**
 * Logs a repeated trouble when it comes, then once a minute with the `times` that it came since.
 * Troubles are the same if their message, `table`, `action` and kind of error are.
 */
export function foldRepeats(log: TroubleLog): TroubleLog {
  const known = new Map<string, { loggedMs: number; times: number }>()
  return { warn: fold('warn'), error: fold('error') }

  function fold(level: keyof TroubleLog) {
    return (fields: object, message: string): void => {
      const key = JSON.stringify([level, message, ...kindOf(fields)])
      const before = known.get(key)
      const nowMs = systemClock.now()
      if (before !== undefined && nowMs - before.loggedMs < INTERVAL_MS) {
        before.times += 1
        return
      }
      const times = before?.times ? { times: before.times + 1 } : {}
      log[level]({ ...fields, ...times }, message)
      if (known.size === TROUBLES_MAX) known.clear()
      known.set(key, { loggedMs: nowMs, times: 0 })
    }
  }
}

function kindOf(fields: object): unknown[] {
  const { err, table, action, type, code } = fields as Record<string, unknown>
  const { name, code: errorCode } = (err ?? {}) as { name?: unknown; code?: unknown }
  return [table, action, type ?? name, code ?? errorCode]
}
