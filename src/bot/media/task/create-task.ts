import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { CreatedTask, Order } from '../order/order-store.ts'
import { mediaOf } from '../order/order-texts.ts'
import type { CallbackUrls } from './callback-urls.ts'

/**
 * Makes what asks the service for an order's task, with a callback where there is a way for one. A service
 * that refuses the way is asked again without.
 *
 * @returns A function that throws as `ServiceClient.createTask()` does.
 */
export function createTaskCreation({
  service,
  callbackUrls,
}: {
  service: Pick<ServiceClient, 'createTask'>
  callbackUrls: CallbackUrls
}) {
  return create

  async function create(order: Order): Promise<CreatedTask> {
    const { idempotencyKey } = order
    const callbackUrl = callbackUrls.urlFor(order)
    try {
      const { taskId } = await service.createTask(mediaOf(order), { idempotencyKey, callbackUrl })
      return { taskId, expectsCallback: callbackUrl !== undefined }
    } catch (error) {
      if (callbackUrl === undefined || !callbackUrls.recordRefusal(error)) throw error
      return create(order)
    }
  }
}
