import { randomUUID } from 'node:crypto'

/**
 * Makes the id of a request: a UUID of version 7, which begins with the millisecond.
 *
 * Of a hold and its entries the newest are together in each index: of random ids each would touch a page of its own.
 * What is random in it is of a UUID that Node has in store: a call of the random generator would cost four times as much.
 *
 * @see RFC 9562, 5.7
 */
export function makeRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
