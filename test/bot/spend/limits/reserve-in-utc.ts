import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { createReserve } from '../../../../src/bot/spend/limits/reserve.ts'

/** Reserve on the days of UTC, where there is no admin; the latter in a transaction. */
export const { reserve: reserveInUtc, reserveIn: reserveInTransactionInUtc } = createReserve({
  calendar: createCalendar({ timeZone: 'UTC' }),
  adminIds: new Set(),
})
