import type { JsonObject } from '../../platform/http/json.ts'
import type { AnswerPiece, ToolCallPiece } from './provider.ts'

/** An answer put together from its pieces, as they come. */
export class GatheredAnswer implements AnswerPiece {
  text = ''
  reasoning = ''
  refusal = ''
  readonly #calls = new Map<number, ToolCallPiece>()
  readonly #logprobs: JsonObject[] = []

  add({ text, reasoning, refusal, toolCalls, logprobs }: AnswerPiece): void {
    this.text += text
    if (reasoning !== undefined) this.reasoning += reasoning
    if (refusal !== undefined) this.refusal += refusal
    // Most deltas are a text alone.
    if (toolCalls !== undefined) this.#addCalls(toolCalls)
    if (logprobs !== undefined) this.#logprobs.push(logprobs)
  }

  #addCalls(pieces: readonly ToolCallPiece[]): void {
    for (const piece of pieces) {
      this.#calls.set(piece.index, join(this.#calls.get(piece.index), piece))
    }
  }

  get toolCalls(): ToolCallPiece[] {
    return [...this.#calls.values()].toSorted((one, other) => one.index - other.index)
  }

  get logprobs(): JsonObject | undefined {
    if (this.#logprobs.length === 0) return undefined
    const lists = Map.groupBy(this.#logprobs.flatMap(Object.entries), ([name]) => name)
    // Each list is joined once: one after the other they took seconds for a long answer.
    return Object.fromEntries(
      Array.from(lists, ([name, pieces]) => [name, pieces.flatMap(([, list]) => list ?? [])]),
    )
  }

  get written(): string {
    const called = this.toolCalls.map(({ function: { name = '', arguments: given = '' } }) =>
      [name, given].join(' '),
    )
    return [this.reasoning, this.text, ...called].join('')
  }
}

/** Only the first piece of a call has its id and name; what follows adds to its arguments. */
function join(call: ToolCallPiece | undefined, piece: ToolCallPiece): ToolCallPiece {
  if (call === undefined) return piece
  const { name, arguments: given = '' } = call.function
  const { name: nameToo, arguments: more = '' } = piece.function
  const called = { ...call.function, arguments: given + more }
  return { ...piece, ...call, function: { ...called, ...named(name || nameToo) } }
}

function named(name: string | undefined): { name?: string } {
  return name === undefined ? {} : { name }
}
