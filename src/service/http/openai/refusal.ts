import type { OpenAiError } from '../../../contract/openai/error.ts'
import { formatPath } from '../../../platform/guard.ts'
import { UNKNOWN_MODEL } from '../../chat/check-request.ts'
import { type RefusalWords, toText } from '../refusal-words.ts'

interface Kind {
  /** Where OpenAI's is another. */
  statusCode?: number
  type?: string
  code?: string
}

/**
 * What a status of ours is at OpenAI. A balance that does not reach is 402 and not OpenAI's 429, for clients
 * try a 429 again, in vain. What the model refuses it would refuse again: 400 and not 502.
 */
const KINDS: Readonly<Record<number, Kind>> = {
  401: { code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  403: { type: 'request_forbidden' },
  422: { statusCode: 400 },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  502: { statusCode: 400, code: 'model_refused' },
}
const MODEL_NOT_FOUND: Kind = { statusCode: 404, code: 'model_not_found' }

const NOT_LISTED = [{ ...UNKNOWN_MODEL, msg: 'is not one of GET /models' }]

/** What is told of a model that is not there, or not for the key. */
export const NO_MODEL = {
  description: 'There is no such model, or it is not for this key.',
  detail: [UNKNOWN_MODEL],
}

/** Writes a refusal for OpenAI's clients: with their status, and the first field that is wrong. */
export function toOpenAiRefusal({ statusCode: ownStatusCode, detail, openAiCode }: RefusalWords): {
  statusCode: number
  body: OpenAiError
} {
  const problem = typeof detail === 'string' ? undefined : detail[0]
  const known = problem === UNKNOWN_MODEL ? MODEL_NOT_FOUND : KINDS[ownStatusCode]
  const { statusCode = ownStatusCode, type, code = null } = known ?? {}
  const [, ...path] = problem?.loc ?? []
  const body: OpenAiError = {
    error: {
      message: toText(known === MODEL_NOT_FOUND ? NOT_LISTED : detail),
      type: type ?? (statusCode >= 500 ? 'server_error' : 'invalid_request_error'),
      param: path.length === 0 ? null : formatPath(path),
      code: openAiCode ?? code,
    },
  }
  return { statusCode, body }
}
