import { Agent, type Dispatcher } from 'undici'
import type { AnswerShape } from './answer-shape.ts'

const HISTORY = [{ role: 'system', content: 'You are a careful assistant.' }]

/** The text that stands in every delta of the model once. */
const DELTA_MARK = 'kopeck'
const STREAM_END = 'data: [DONE]\n\n'

/** A server of completions, and how it is asked. */
export interface Asked {
  /** The URL at which completions are asked for. */
  url: string
  /** Its name for the model. */
  model: string
  /** The headers of the next request: it may be made in another account's name than the one before. */
  headers(): Readonly<Record<string, string>>
}

export interface AskOptions {
  stream: boolean
  /** The messages before the question. */
  history?: readonly { role: string; content: string }[]
  /** Called when the first bytes of the body are there. */
  onFirstBytes?: () => void
  signal?: AbortSignal
}

/** Those who ask a gateway, all in this process. */
export interface Load {
  /**
   * Asks for one completion.
   *
   * @returns Milliseconds from the request to the first bytes of the body.
   * @throws {Error} If the answer is not whole.
   */
  ask(shape: AnswerShape, options: AskOptions): Promise<number>
  /** Asks for plain answers, so many at once. @returns How many came in how many seconds. */
  askOn(
    shape: AnswerShape,
    options: { atOnce: number; seconds: number },
  ): Promise<{ requests: number; seconds: number }>
  close(): Promise<void>
}

/** Opens connections to a gateway; undici's dispatch, since what asks shares a core with the model. */
export function openLoad(gateway: Asked): Load {
  const { origin, pathname: path } = new URL(gateway.url)
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return { ask, askOn, close: () => agent.destroy() }

  async function ask(shape: AnswerShape, options: AskOptions): Promise<number> {
    const { stream, history, onFirstBytes, signal } = options
    const startedAt = performance.now()
    let firstBytesMs = Number.NaN
    const { status, text } = await exchange(toBody(shape, stream, history), {
      onFirstBytes: () => {
        firstBytesMs = performance.now() - startedAt
        onFirstBytes?.()
      },
      signal,
    })
    const deltas = text.split(DELTA_MARK).length - 1
    const isWhole = deltas === shape.deltas && (!stream || text.endsWith(STREAM_END))
    if (status !== 200 || !isWhole) {
      throw new Error(`${gateway.url} answered ${status}, ${deltas} deltas: ${text.slice(-300)}`)
    }
    return firstBytesMs
  }

  function askOn(shape: AnswerShape, options: { atOnce: number; seconds: number }) {
    return goOn(() => ask(shape, { stream: false }), options)
  }

  function toBody(
    shape: AnswerShape,
    stream: boolean,
    history: AskOptions['history'] = HISTORY,
  ): string {
    const messages = [...history, { role: 'user', content: JSON.stringify(shape) }]
    return JSON.stringify({ model: gateway.model, messages, stream })
  }

  function exchange(
    body: string,
    { onFirstBytes, signal }: { onFirstBytes: () => void; signal: AbortSignal | undefined },
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = []
      let status = 0
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: (controller) => {
          signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
        },
        onResponseStart: (_controller, statusCode) => {
          status = statusCode
        },
        onResponseData: (_controller, bytes) => {
          if (pieces.push(bytes) === 1) onFirstBytes()
        },
        onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
        onResponseError: (_controller, error) => reject(error),
      }
      const headers = { 'content-type': 'application/json', ...gateway.headers() }
      agent.dispatch({ origin, path, method: 'POST', headers, body }, handler)
    })
  }
}

/** A closed loop: asks so many times at once, and again when an answer is there. @returns How many in how many seconds. */
export async function goOn(
  ask: () => Promise<unknown>,
  { atOnce, seconds }: { atOnce: number; seconds: number },
): Promise<{ requests: number; seconds: number }> {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let requests = 0
  const work = async () => {
    while (performance.now() < endsAt) {
      await ask()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { requests, seconds: (performance.now() - startedAt) / 1000 }
}
