import { EXPLANATION_BYTES_MAX, toExplanation } from '../explanation.ts'
import type { ProviderFailure } from '../failure.ts'
import type { ProviderAnswer } from '../provider.ts'
import { OpenAiAnswer, UNFINISHED } from './answer.ts'
import { type OpenAiChunk, parseOpenAiCompletion } from './chunk.ts'

/** Longest body of a plain answer. A model's longest text, with what it thought before, is far below it. */
export const PLAIN_BYTES_MAX = 8 * 1024 * 1024

const decoder = new TextDecoder()

/** One plain answer: gathered, and read when its body is whole. */
export class PlainAnswer extends OpenAiAnswer<ProviderAnswer> {
  readonly #pieces: Uint8Array[] = []
  #bytes = 0

  protected override read(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength
    if (this.#bytes > PLAIN_BYTES_MAX) {
      const explanation = `Cannot read completion: it has more than ${PLAIN_BYTES_MAX} bytes`
      this.fail({ kind: 'malformed', explanation })
    } else this.#pieces.push(bytes)
  }

  protected override end(failure?: ProviderFailure): void {
    if (failure !== undefined) {
      this.fail(failure)
      return
    }
    const text = decoder.decode(Buffer.concat(this.#pieces))
    let completion: OpenAiChunk
    try {
      completion = parseOpenAiCompletion(text)
    } catch (error) {
      this.fail({ kind: 'malformed', explanation: (error as Error).message })
      return
    }
    const { piece, finishReason, usage, failure: stated } = completion
    if (stated !== undefined) {
      const explanation = toExplanation(text.slice(0, EXPLANATION_BYTES_MAX), this.unspeakable())
      this.fail({ kind: stated.kind, explanation }, stated.isRejected)
    } else if (piece === undefined && finishReason === undefined) this.fail(UNFINISHED)
    else {
      this.timer.stop()
      this.succeed({
        answer: piece ?? { text: '' },
        finishReason: finishReason ?? 'stop',
        ...(usage !== undefined && { usage }),
      })
    }
  }
}
