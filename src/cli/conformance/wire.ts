import { type Answer, type OpenBody, readWholeAnswer } from '../../platform/http/exchange.ts'
import { readHeader, readRetryAfterMs } from '../../platform/http/headers.ts'
import { createHttpClient } from '../../platform/http/http-client.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** A request below the base URL. */
export interface Ask {
  method: 'GET' | 'POST'
  path: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Another key, or none. */
  apiKey?: string | undefined
  /** False for requests that test the limit itself: it is neither kept to nor waited out. */
  isPaced?: boolean
}

/** An answer as it came. */
export interface WireAnswer {
  ask: Ask
  status: number
  contentType: string
  /** How long it asks to wait, if it does. */
  retryAfterMs: number | undefined
  text: string
  /** Undefined where the text is no JSON. */
  json: unknown
}

/** No whole answer came. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

const TIMEOUTS = { connectMs: 10_000, silenceMs: 60_000 }
/** A whole answer takes no longer; reading is a matter of moments, a chat and a creation are not. */
const ANSWER_MS_MAX = { GET: 30_000, POST: 180_000 }
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

const MINUTE_MS = 60_000
const CHATS_A_MINUTE = 30
/** A 429 is waited out so often: the account may have other users. */
const REFUSED_MAX = 5
const REFUSED_MS = 20_000
/** A limit of the interface is over by then. A service that asks for more is not waited for. */
const REFUSED_MS_MAX = MINUTE_MS

export type Wire = ReturnType<typeof createWire>

/**
 * HTTP to the service that is looked at, byte by byte as it comes, within the limits of the interface. All
 * answers are kept, to be judged together.
 */
export function createWire({
  baseUrl,
  apiKey,
  clock,
}: {
  baseUrl: string
  apiKey: string
  clock: Clock
}) {
  const http = createHttpClient(TIMEOUTS)
  const root = baseUrl.replace(/\/+$/, '')
  const chats = createPace({ max: CHATS_A_MINUTE, spanMs: MINUTE_MS }, clock)
  const answers: WireAnswer[] = []
  return { ask, askStream, answers, close: http.close }

  /** @throws {NoAnswerError} */
  async function ask(request: Ask): Promise<WireAnswer> {
    for (let refused = 0; ; refused++) {
      const answer = await readAnswer(request, await open(request))
      const isOver = request.isPaced === false || refused === REFUSED_MAX
      if (answer.status !== 429 || isOver) return answer
      await clock.sleep(Math.min(answer.retryAfterMs ?? REFUSED_MS, REFUSED_MS_MAX))
    }
  }

  /**
   * Asks for a stream and reads it to its end.
   *
   * @param onText Called with the text so far after each piece. The next piece is not read meanwhile.
   * @throws {NoAnswerError} Also where the stream breaks off, or does not end.
   */
  async function askStream(
    request: Ask,
    onText: (textSoFar: string) => Promise<void>,
  ): Promise<WireAnswer> {
    const answer = await open(request)
    if (!isEventStream(answer)) return await readAnswer(request, answer)
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        text += decoder.decode(piece, { stream: true })
        await onText(text)
        if (text.length > ANSWER_BYTES_MAX) {
          throw new NoAnswerError(`a stream of more than ${ANSWER_BYTES_MAX} characters`)
        }
      }
    } catch (cause) {
      if (cause instanceof NoAnswerError) throw cause
      throw new NoAnswerError('the connection broke in the middle of the stream', { cause })
    }
    return keep(request, answer, text)
  }

  async function open(request: Ask) {
    const { method, path, body, headers, isPaced } = request
    if (path === '/chats/completions' && isPaced !== false) await chats()
    const key = 'apiKey' in request ? request.apiKey : apiKey
    const exchange = await http.open({
      method,
      url: root + path,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      headersMs: ANSWER_MS_MAX[method],
      signal: AbortSignal.timeout(ANSWER_MS_MAX[method]),
    })
    if (exchange.outcome === 'answered') return exchange
    const { outcome, cause } = exchange
    throw new NoAnswerError(
      outcome === 'unsent' ? 'the service was not reached' : 'no whole answer came',
      { cause },
    )
  }

  async function readAnswer(request: Ask, answer: Answer<OpenBody>): Promise<WireAnswer> {
    const whole = await readWholeAnswer(answer, ANSWER_BYTES_MAX)
    if (whole.outcome !== 'answered') {
      throw new NoAnswerError('no whole answer came', { cause: whole.cause })
    }
    return keep(request, whole, whole.body.toString())
  }

  function keep(request: Ask, { status, headers }: Answer<unknown>, text: string): WireAnswer {
    const contentType = readHeader(headers, 'content-type') ?? ''
    const retryAfterMs = readRetryAfterMs(headers)
    const answer = { ask: request, status, contentType, retryAfterMs, text, json: parseJson(text) }
    answers.push(answer)
    return answer
  }
}

/** Checks whether an answer is streamed. */
export function isEventStream({ headers }: Pick<Answer<unknown>, 'headers'>): boolean {
  return (readHeader(headers, 'content-type') ?? '').startsWith('text/event-stream')
}

/** Describes an answer by its status and the problem that it names. */
export function describeAnswer({ status, json }: WireAnswer): string {
  const detail = isJsonObject(json) ? json.detail : undefined
  return typeof detail === 'string' ? `${status}: ${detail}` : String(status)
}

/** @returns A function that waits until one more request is within the limit of `max` in any `spanMs`, and counts it. */
function createPace(
  { max, spanMs }: { max: number; spanMs: number },
  clock: Pick<Clock, 'now' | 'sleep'>,
): () => Promise<void> {
  let accepted: number[] = []
  return async () => {
    accepted = accepted.filter((at) => clock.now() - at < spanMs)
    const [first] = accepted
    if (first !== undefined && accepted.length >= max) {
      await clock.sleep(spanMs - (clock.now() - first))
      accepted.shift()
    }
    accepted.push(clock.now())
  }
}
