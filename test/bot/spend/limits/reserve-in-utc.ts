import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createReserve } from '../../../../src/bot/spend/limits/reserve.ts'

/** Reserves on the days of UTC, where there is no admin. */
export const reserveInUtc = createReserve({
  calendar: createCalendar({ timeZone: 'UTC' }),
  adminIds: new Set(),
})
