import {
  type Answer,
  createHttpClient,
  type Exchange,
  type HttpRequest,
  readHead,
  readWholeAnswer,
} from '../../platform/http/http-client.ts'
import { parseJson } from '../../platform/http/json.ts'
import type { Proxies } from '../../platform/http/proxies.ts'

const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 }
const HEADERS_MS_MAX = 30_000
/** Largest answer taken: a few pictures in base64. */
const ANSWER_BYTES_MAX = 100 * 2 ** 20
/** How much of a refusal is read: a page becomes one line. */
const REFUSAL_BYTES_MAX = 64 * 2 ** 10

export interface ProviderAccess {
  baseUrl: string
  apiKey?: string | undefined
  proxies?: Proxies | undefined
}

export type ProviderWays = Pick<ProviderAccess, 'proxies'>

export interface ProviderRequest extends Pick<HttpRequest, 'method' | 'signal'> {
  path: string
  headers?: Record<string, string>
  body?: unknown
  headersMs?: number
  bytesMax?: number
}

/** Returns a function that sends one request and reads its answer, or the beginning of a refusal. It never rejects. */
export function createProviderHttp(
  { baseUrl, apiKey, proxies }: ProviderAccess,
  common: Record<string, string> = {},
): (request: ProviderRequest) => Promise<Exchange> {
  const http = createHttpClient({ ...TIMEOUTS, proxies })
  return async ({ path, headers, body, bytesMax = ANSWER_BYTES_MAX, ...request }) => {
    const exchange = await http.open({
      headersMs: HEADERS_MS_MAX,
      ...request,
      url: `${toRoot(baseUrl)}/${path}`,
      headers: { ...authorize(apiKey), ...common, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (exchange.outcome !== 'answered') return exchange
    if (exchange.status < 400) return await readWholeAnswer(exchange, bytesMax)
    return { ...exchange, body: await readHead(exchange.body, REFUSAL_BYTES_MAX) }
  }
}

/** The root of an API without the slashes that an operator may have put at its end. */
export function toRoot(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

export function authorize(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}

export function readJson({ body }: Answer): unknown {
  return parseJson(body.toString())
}
