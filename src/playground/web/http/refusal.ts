import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../wire/envelope.ts'

/** Of a page that left while it sent a file: it hears no answer. */
const LEFT = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

/** A request of the page that is refused, with the status and the words that a person reads. */
export class WebRefusal extends Error {
  override readonly name = 'WebRefusal'
  readonly statusCode: number

  constructor(statusCode: number, detail: string) {
    super(detail)
    this.statusCode = statusCode
  }
}

/**
 * Answers what is refused. What people's clients do not allow is thrown as a plain error, whose words are theirs; a
 * mistake of the program, and what the system says of disks and files, is none of the person's.
 */
export function createRefusals({ onTrouble }: { onTrouble: (error: unknown) => void }) {
  return function answerRefusal(
    error: FastifyError | WebRefusal | ApiError | Error,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    if (error instanceof ApiError) return reply.code(error.code).send({ detail: error.message })
    if ('statusCode' in error && error.statusCode !== undefined) {
      return reply.code(error.statusCode).send({ detail: error.message })
    }
    const code = 'code' in error ? error.code : undefined
    const isOurs = error instanceof TypeError || error instanceof ReferenceError
    if (!isOurs && code === undefined) return reply.code(400).send({ detail: error.message })
    if (!LEFT.includes(code ?? '')) onTrouble(error)
    return reply.code(500).send({ detail: `The playground cannot do it: ${error.message}` })
  }
}
