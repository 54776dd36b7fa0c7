import type { Order, OrderStore } from './order-store.ts'
import type { OrderPoller } from './poll-order.ts'
import type { ClipDelivery } from './show-clip.ts'
import type { OrderSubmission } from './submit-order.ts'
import type { FailureNotices } from './tell-failure.ts'

export interface OrderVisitsDeps {
  store: Pick<OrderStore, 'read'>
  submission: OrderSubmission
  poller: OrderPoller
  clips: ClipDelivery
  failures: FailureNotices
}

/**
 * The life of an order, state by state: docs/bot.md#life-of-an-order.
 *
 * This process has the order's lease during a visit. A visit takes the order to its next state, or finds
 * out that it is not time yet; after an interruption the next one goes on from the row.
 */
export function createOrderVisits({ store, submission, poller, clips, failures }: OrderVisitsDeps) {
  return { visit }

  /** @returns In how many milliseconds the order is due again; undefined when it has ended. */
  async function visit(orderId: bigint): Promise<number | undefined> {
    const order = await store.read(orderId)
    return order === undefined || order.endedAt !== null ? undefined : goOn(order)
  }

  function goOn(order: Order): Promise<number | undefined> {
    switch (order.state) {
      case 'placed':
        return submission.submit(order)
      case 'submitted':
        return submission.settle(order)
      case 'generating':
        return poller.poll(order)
      case 'ready':
        return clips.show(order)
      case 'failed':
        return failures.tell(order)
      case 'delivered':
        throw new Error(`Cannot visit order ${order.id}: it was delivered and has not ended`)
    }
  }
}
