import type { DueTable } from '../../../platform/jobs/due-rows.ts'

/** The table of the orders that are to be visited. */
export const ORDER_TABLE: DueTable = { name: 'bot."order"', key: 'id' }
