import type { DueTable } from '../../../platform/jobs/row-leases.ts'

/** Where the orders stand that are to be visited. */
export const ORDER_TABLE: DueTable = { name: 'bot."order"', key: 'id' }
