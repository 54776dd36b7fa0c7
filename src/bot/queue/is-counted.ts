import {
  InvalidRequestError,
  ServiceError,
  ServiceUnavailableError,
  UnauthorizedError,
} from '../../contract/client/errors.ts'

/** Whether a request that failed may have counted towards the service's limit. */
export function isCounted(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  if (error instanceof UnauthorizedError || error instanceof InvalidRequestError) return false
  return !(error instanceof ServiceUnavailableError && error.status === undefined)
}
