import type { Logger } from 'pino'
import { hasCode } from '../../../contract/client/service-error.ts'
import type { MediaKind } from '../../../contract/tasks.ts'

/** Below the root; the order's key follows. */
export const CALLBACK_PATH = '/callbacks'

/**
 * Makes the URLs at which the service reports a task's end.
 *
 * @param root The root at which the service finds this process, without a slash at the end; undefined where it cannot.
 */
export function createCallbackUrls({ root, log }: { root: string | undefined; log: Logger }) {
  let isRefused = false
  return { urlFor, recordRefusal }

  /** Undefined where the service cannot call back: clips have no callbacks. */
  function urlFor({ kind, idempotencyKey }: { kind: MediaKind; idempotencyKey: string }) {
    const isCalledBack = root !== undefined && kind !== 'video' && !isRefused
    return isCalledBack ? `${root}${CALLBACK_PATH}/${idempotencyKey}` : undefined
  }

  /**
   * Records that a creation was refused for its callback URL.
   *
   * @returns False if it was refused for something else. Otherwise it may be asked again without one, as are all that
   *   follow.
   */
  function recordRefusal(error: unknown): boolean {
    if (!hasCode(error, 'invalid_request') || !/callback/i.test(error.detail ?? '')) {
      return false
    }
    if (!isRefused) log.warn('the service cannot reach PUBLIC_URL with callbacks: tasks are polled')
    isRefused = true
    return true
  }
}

export type CallbackUrls = ReturnType<typeof createCallbackUrls>
