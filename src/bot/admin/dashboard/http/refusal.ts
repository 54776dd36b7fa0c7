import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { formatPath, toPath } from '../../../../platform/guard.ts'
import type { SignInRefusal } from '../api.ts'

/** A request that is refused, with the status and the words that its caller reads. */
export class DashboardRefusal extends Error {
  override readonly name = 'DashboardRefusal'
  readonly statusCode: number
  readonly detail: string
  /** Why somebody was not signed in. */
  readonly error: SignInRefusal | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    statusCode: number,
    detail: string,
    { error, retryAfterMs }: { error?: SignInRefusal; retryAfterMs?: number } = {},
  ) {
    super(`Refused with ${statusCode}`)
    this.statusCode = statusCode
    this.detail = detail
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

/** What the HTTP layer refuses by itself. */
const DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json.',
}

/** Answers what is refused. Anything else goes on to the server's own handler, which logs it. */
export function answerRefusal(
  error: FastifyError | DashboardRefusal,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof DashboardRefusal) {
    const { statusCode, detail, error: reason, retryAfterMs } = error
    if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1000))
    return reply.code(statusCode).send({ detail, ...(reason !== undefined && { error: reason }) })
  }
  // Of alternatives the last problem is that none fits.
  const problem = error.validation?.at(-1)
  if (problem !== undefined) {
    const field = formatPath(toPath(problem)) || `The ${error.validationContext}`
    return reply.code(400).send({ detail: `${field} makes no sense.` })
  }
  const detail = DETAILS[error.code]
  if (detail === undefined) throw error
  return reply.code(error.statusCode ?? 400).send({ detail })
}
