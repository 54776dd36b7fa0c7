/** Clocks that differ by less count as equal. */
const SAME_S = 300

export interface TelegramClock {
  take(date: unknown): void
  /** Undefined before the first answer. */
  now(): Date | undefined
}

/** Between two answers the time follows the monotonic clock. */
export function createTelegramClock(): TelegramClock {
  let seen: { at: number; takenAt: number } | undefined
  return {
    take: (date) => {
      const at = typeof date === 'string' ? Date.parse(date) : Number.NaN
      if (!Number.isNaN(at)) seen = { at, takenAt: performance.now() }
    },
    now: () => seen && new Date(seen.at + performance.now() - seen.takenAt),
  }
}

/**
 * SQL that turns an instant of Telegram's clock into one of the database's, by which ages are judged. Whole minutes:
 * messages of one second stay in their order.
 *
 * @param telegramNow The parameter with Telegram's time; null if it is not known.
 */
export function toDatabaseTime(instant: string, telegramNow: string): string {
  const apartS = `extract(epoch FROM now() - ${telegramNow}::timestamptz)::float8`
  return `${instant}::timestamptz + CASE WHEN abs(${apartS}) >= ${SAME_S}
    THEN round(${apartS} / 60) * interval '1 minute' ELSE interval '0' END`
}
