import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import { ApiError } from '../../wire/envelope.ts'

/** Codes of a page that left while it sent a file: it hears no answer. */
const LEFT = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

/**
 * Answers what is refused. What people's clients do not allow is thrown as a plain error, whose words are theirs; a
 * mistake of the program, and what the system says of disks and files, is none of the person's.
 */
export function createRefusals({ onTrouble }: { onTrouble: (error: unknown) => void }) {
  return function answerRefusal(
    error: FastifyError | PageRefusal | ApiError | Error,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    if (error instanceof ApiError) return reply.code(error.code).send({ detail: error.message })
    if (error instanceof PageRefusal) {
      return reply.code(error.statusCode).send({ detail: error.detail })
    }
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
