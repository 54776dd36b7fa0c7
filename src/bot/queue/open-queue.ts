import { foldRepeats, type TroubleLog } from '../../platform/fold-repeats.ts'
import type { RequestKind, ServiceLimits } from './rate-limit.ts'
import { createServiceQueue, type ServiceQueue, type ServiceQueueDeps } from './service-queue.ts'
import { createStoredQueue, type StoredQueueDeps } from './stored-queue.ts'

/** Opens the queue of a kind of requests; what it has stored is of all processes. The signal ends every wait. */
export type OpenQueue = (kind: RequestKind, signal: AbortSignal) => ServiceQueue

/** What the queues of all kinds have in common. */
export interface QueueDeps
  extends Pick<ServiceQueueDeps, 'notifications' | 'instanceId' | 'clock'>,
    Pick<StoredQueueDeps, 'prisma' | 'pool'> {
  limits: ServiceLimits
  log: TroubleLog
}

/** Makes `OpenQueue`. */
export function createOpenQueue({ limits, prisma, pool, log, ...deps }: QueueDeps): OpenQueue {
  const { instanceId } = deps
  return (kind, signal) => {
    const stored = createStoredQueue({ kind, limit: limits[kind], instanceId, prisma, pool })
    return createServiceQueue({ kind, stored, ...deps, log: foldRepeats(log), signal })
  }
}
