import { createHash } from 'node:crypto'
import { type Answer, type OpenBody, readWholeAnswer } from '../../platform/http/exchange.ts'
import { readHeader, readRetryAfterMs } from '../../platform/http/headers.ts'
import { createHttpClient } from '../../platform/http/http-client.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Ask, WireAnswer } from './answer.ts'
import { addEvidence } from './evidence.ts'
import { createPaces } from './paces.ts'

/** A result as it came from its link. */
export interface LinkedFile {
  /** 0 where no answer came. */
  status: number
  contentType: string
  bytes: number
  /** Of the bytes. */
  digest: string
  /** The first bytes. */
  head: Buffer
}

/** No whole answer came. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

const TIMEOUTS = { connectMs: 10_000, silenceMs: 60_000 }
/** A whole answer takes no longer; reading is a matter of moments, a chat and a creation are not. */
const ANSWER_MS_MAX = { GET: 30_000, POST: 180_000 }
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const LINK_MS_MAX = 60_000
const HEAD_BYTES = 64

/** A 429 is waited out so often: the account may have other users. */
const REFUSED_MAX = 5
const REFUSED_MS = 20_000
/** A limit of the interface is over by then. A service that asks for more is not waited for. */
const REFUSED_MS_MAX = 60_000
/** A service that did not answer so often in a row is not asked again. */
const UNANSWERED_MAX = 3

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
  const keepPace = createPaces(clock)
  const answers: WireAnswer[] = []
  let openCount = 0
  let unanswered = 0
  return {
    ask,
    askOnce,
    askStream,
    fetchLink,
    answers,
    /** Checks whether a request is open. */
    isAsking: () => openCount > 0,
    close: http.close,
  }

  /** Asks, and waits a 429 out. @throws {NoAnswerError} */
  async function ask(request: Ask): Promise<WireAnswer> {
    return await waitOut(clock, () => askOnce(request), request)
  }

  /** @throws {NoAnswerError} */
  async function askOnce(request: Ask): Promise<WireAnswer> {
    await keepPace(request, keyOf(request))
    return await whileOpen(async () => {
      const askedAtMs = clock.now()
      return await readAnswer(request, await open(request), askedAtMs)
    })
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
    await keepPace(request, keyOf(request))
    return await whileOpen(async () => {
      const askedAtMs = clock.now()
      const answer = await open(request)
      if (!isEventStream(answer)) return await readAnswer(request, answer, askedAtMs)
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
      return keep({ request, answer, text, askedAtMs })
    })
  }

  /** Fetches a result as anybody does who has its link: without a key, and after redirects. */
  async function fetchLink(url: string): Promise<LinkedFile> {
    return await whileOpen(async () => {
      const hash = createHash('sha256')
      let bytes = 0
      let head = Buffer.alloc(0)
      try {
        const { status, headers, body } = await fetch(url, {
          signal: AbortSignal.timeout(LINK_MS_MAX),
        })
        for await (const piece of body ?? []) {
          hash.update(piece)
          bytes += piece.byteLength
          if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece]).subarray(0, HEAD_BYTES)
        }
        const contentType = headers.get('content-type') ?? ''
        return { status, contentType, bytes, digest: hash.digest('hex').slice(0, 8), head }
      } catch {
        return { status: 0, contentType: '', bytes, digest: '', head }
      }
    })
  }

  function keyOf(request: Ask): string | undefined {
    return 'apiKey' in request ? request.apiKey : apiKey
  }

  /** @throws {NoAnswerError} At once, if the service did not answer several times. */
  async function whileOpen<T>(exchange: () => Promise<T>): Promise<T> {
    if (unanswered >= UNANSWERED_MAX) {
      throw new NoAnswerError(
        `nothing more was asked: the service did not answer ${unanswered} times`,
      )
    }
    openCount += 1
    try {
      return await exchange()
    } finally {
      openCount -= 1
    }
  }

  async function open(request: Ask) {
    const { method, path, body, headers } = request
    const key = keyOf(request)
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
    unanswered += 1
    const { outcome, cause } = exchange
    const what = outcome === 'unsent' ? 'the service was not reached' : 'no whole answer came'
    throw new NoAnswerError(what + describeCause(cause), { cause })
  }

  async function readAnswer(request: Ask, answer: Answer<OpenBody>, askedAtMs: number) {
    const whole = await readWholeAnswer(answer, ANSWER_BYTES_MAX)
    if (whole.outcome !== 'answered') {
      unanswered += 1
      const { cause } = whole
      throw new NoAnswerError(`no whole answer came${describeCause(cause)}`, { cause })
    }
    return keep({ request, answer: whole, text: whole.body.toString(), askedAtMs })
  }

  function keep({
    request,
    answer: { status, headers },
    text,
    askedAtMs,
  }: {
    request: Ask
    answer: Answer<unknown>
    text: string
    askedAtMs: number
  }): WireAnswer {
    unanswered = 0
    const contentType = readHeader(headers, 'content-type') ?? ''
    const json = parseJson(text)
    const answer = {
      ask: request,
      apiKey: keyOf(request),
      status,
      contentType,
      requestId: readHeader(headers, 'x-request-id') ?? readRequestId(json, text),
      retryAfterMs: readRetryAfterMs(headers),
      askedAtMs,
      text,
      json,
    }
    answers.push(answer)
    addEvidence(answer)
    return answer
  }
}

/** Asks again where a limit refuses a request, when the service says so. */
export async function waitOut(
  clock: Pick<Clock, 'sleep'>,
  ask: () => Promise<WireAnswer>,
  { isPaced = true }: Ask,
): Promise<WireAnswer> {
  for (let refused = 0; ; refused++) {
    const answer = await ask()
    if (answer.status !== 429 || !isPaced || refused === REFUSED_MAX) return answer
    await clock.sleep(Math.min(answer.retryAfterMs ?? REFUSED_MS, REFUSED_MS_MAX))
  }
}

/** Checks whether an answer is streamed. */
export function isEventStream({ headers }: Pick<Answer<unknown>, 'headers'>): boolean {
  return (readHeader(headers, 'content-type') ?? '').startsWith('text/event-stream')
}

/** The name that a plain answer has in its body, and a stream in its chunks. */
function readRequestId(json: unknown, text: string): string | undefined {
  if (isJsonObject(json)) return typeof json.request_id === 'string' ? json.request_id : undefined
  return /^data: ?\{"id":"([^"]+)"/m.exec(text)?.[1]
}

/** The system's word for what went wrong, such as `self-signed certificate`, with a colon before it. */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return ''
  const { message } = cause.message === '' && cause.cause instanceof Error ? cause.cause : cause
  return message === '' ? '' : `: ${message}`
}
