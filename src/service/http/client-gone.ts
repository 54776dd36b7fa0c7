import type { FastifyReply } from 'fastify'
import { ClientGoneError } from '../chat/client-gone-error.ts'

/** What proxies log as the status of a request whose client left before an answer. */
export const CLIENT_GONE = 499

/** @returns A controller that is aborted with a `ClientGoneError` when the client leaves too early. */
export function abortWhenGone({ raw }: FastifyReply): AbortController {
  const controller = new AbortController()
  raw.once('close', () => {
    // A client that leaves after the last byte has had everything.
    if (!raw.writableFinished) controller.abort(new ClientGoneError())
  })
  if (raw.destroyed) controller.abort(new ClientGoneError())
  return controller
}
