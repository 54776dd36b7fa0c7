import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../wire/envelope.ts'

/** A request of the page that is refused, with the status and the words that a person reads. */
export class WebRefusal extends Error {
  override readonly name = 'WebRefusal'
  readonly statusCode: number

  constructor(statusCode: number, detail: string) {
    super(detail)
    this.statusCode = statusCode
  }
}

/** Answers what is refused. What people's clients do not allow is thrown as a plain error, whose words are theirs. */
export function answerRefusal(
  error: FastifyError | WebRefusal | ApiError | Error,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ApiError) return reply.code(error.code).send({ detail: error.message })
  if ('statusCode' in error && error.statusCode !== undefined) {
    return reply.code(error.statusCode).send({ detail: error.message })
  }
  // A mistake in the program is none of the person's.
  if (error instanceof TypeError || error instanceof ReferenceError) {
    return reply.code(500).send({ detail: `The playground made a mistake: ${error.message}` })
  }
  return reply.code(400).send({ detail: error.message })
}
