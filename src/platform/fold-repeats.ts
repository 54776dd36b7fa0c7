/** The log of what goes wrong. */
export interface TroubleLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const INTERVAL_MS = 60_000
const TROUBLES_MAX = 100

/**
 * A log for what is tried again and fails again: a trouble is logged when it comes, and as long as it
 * goes on once a minute, with the `times` that it came meanwhile.
 *
 * One trouble is what has the same message, the same `table` and `action`, and an error of the same kind.
 */
export function foldRepeats(log: TroubleLog): TroubleLog {
  const known = new Map<string, { times: number; fields: object }>()
  return { warn: fold('warn'), error: fold('error') }

  function fold(level: keyof TroubleLog) {
    return (fields: object, message: string): void => {
      const key = JSON.stringify([level, message, ...kindOf(fields)])
      const before = known.get(key)
      if (before !== undefined) {
        before.times += 1
        before.fields = fields
        return
      }
      log[level](fields, message)
      if (known.size === TROUBLES_MAX) return
      const trouble = { times: 0, fields }
      known.set(key, trouble)
      const timer = setInterval(() => {
        if (trouble.times === 0) {
          known.delete(key)
          clearInterval(timer)
          return
        }
        log[level]({ ...trouble.fields, times: trouble.times }, message)
        trouble.times = 0
      }, INTERVAL_MS).unref()
    }
  }
}

function kindOf(fields: object): unknown[] {
  const { err, table, action, type, code } = fields as Record<string, unknown>
  const { name, code: errorCode } = (err ?? {}) as { name?: unknown; code?: unknown }
  return [table, action, type ?? name, code ?? errorCode]
}
