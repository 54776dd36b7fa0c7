import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { toPath } from '../../../../platform/guard.ts'
import { formatPath } from '../../../../platform/http/json.ts'
import { PageRefusal } from '../../../../platform/http/page.ts'
import type { SignInRefusal } from '../api.ts'

/** A request for the page's data that is refused. */
export class DashboardRefusal extends PageRefusal {
  override readonly name = 'DashboardRefusal'
  readonly error: SignInRefusal | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    statusCode: number,
    detail: string,
    { error, retryAfterMs }: { error?: SignInRefusal; retryAfterMs?: number } = {},
  ) {
    super(statusCode, detail)
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

const DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json.',
}

/** Answers what is refused. Anything else goes on to the server's own handler, which logs it. */
export function answerRefusal(
  error: FastifyError | PageRefusal,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof DashboardRefusal) {
    const { statusCode, detail, error: reason, retryAfterMs } = error
    if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1000))
    return reply.code(statusCode).send({ detail, ...(reason !== undefined && { error: reason }) })
  }
  if (error instanceof PageRefusal) {
    return reply.code(error.statusCode).send({ detail: error.detail })
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
