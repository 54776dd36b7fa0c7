import {
  type Answer,
  createHttpClient,
  type Exchange,
  type HttpRequest,
  readWholeAnswer,
} from '../../http/exchange.ts'
import { parseJson } from '../../http/json.ts'

const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 }
const HEADERS_MS_MAX = 30_000
/** Largest answer taken: a few pictures in base64. */
const ANSWER_BYTES_MAX = 100 * 2 ** 20

interface ProviderRequest extends Omit<HttpRequest, 'body' | 'headersMs'> {
  /** Sent as JSON. */
  body?: unknown
  headersMs?: number
}

/** Sends one request and reads its whole answer. Never rejects: an abort is an outcome as well. */
export type SendRequest = (request: ProviderRequest) => Promise<Exchange>

/** Opens HTTP to the provider of a generation. */
export function createProviderHttp(): SendRequest {
  const http = createHttpClient(TIMEOUTS)
  return async ({ body, headersMs = HEADERS_MS_MAX, ...request }) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const exchange = await http.open({ ...request, body: text, headersMs })
    if (exchange.outcome !== 'answered') return exchange
    return await readWholeAnswer(exchange, ANSWER_BYTES_MAX)
  }
}

/** The JSON of an answer; undefined if it is none. */
export function readJson({ body }: Answer): unknown {
  return parseJson(body.toString())
}
