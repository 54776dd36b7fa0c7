import type { OpenAiParameters, PromptMessage } from '../../contract/openai.ts'
import type { JsonObject } from '../../platform/http/json.ts'
import type { ProviderFailure } from './failure.ts'

export interface ProviderChatRequest {
  messages: readonly PromptMessage[]
  maxTokens: number
  parameters?: OpenAiParameters | undefined
  /** True if the client reads nothing before the answer is whole: then no failure is `broken`, and it may be asked for in one piece. */
  isPlain?: boolean | undefined
  /** Called with a refusal after which the provider is asked again at once in another form, which it may take. */
  onAdjusted?: ((refusal: ProviderFailure) => void) | undefined
}

/** Tokens of one answer, as its provider counted them. They may be impossible: `judgeUsage()` decides. */
export interface ProviderUsage {
  /** All input, including cached and newly cached tokens. */
  promptTokens: number
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  completionTokens: number
  reasoningTokens?: number | undefined
  /** The provider's own charge for the answer, in dollars: any number, NaN for words. */
  reportedCostUsd?: number | undefined
}

/** A piece of an answer, or all of it. At least one of its parts has something. */
export interface AnswerPiece {
  text: string
  reasoning?: string
  /** The words of the text with which the model refuses. */
  refusal?: string
  /** Calls of the client's tools, or pieces of them, each in OpenAI's shape as the provider wrote it. */
  toolCalls?: readonly ToolCallPiece[]
}

/** A piece of a tool call: the first of a call has its id and name, all of them together its arguments. */
export interface ToolCallPiece extends JsonObject {
  index: number
  function: { name?: string; arguments?: string }
}

/** Joins the pieces of an answer. */
export function joinPieces(pieces: readonly AnswerPiece[]): AnswerPiece {
  const text = pieces.map((piece) => piece.text).join('')
  const reasoning = pieces.map((piece) => piece.reasoning ?? '').join('')
  const refusal = pieces.map((piece) => piece.refusal ?? '').join('')
  const toolCalls = joinCalls(pieces.flatMap((piece) => piece.toolCalls ?? []))
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    ...(refusal !== '' && { refusal }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

export function writtenIn({ text, reasoning = '', toolCalls = [] }: AnswerPiece): string {
  const called = toolCalls.map(({ function: { name = '', arguments: given = '' } }) =>
    [name, given].join(' '),
  )
  return [reasoning, text, ...called].join('')
}

/** Only the first piece of a call has its id and name; later pieces add to its arguments. */
function joinCalls(pieces: readonly ToolCallPiece[]): ToolCallPiece[] {
  const calls = new Map<number, ToolCallPiece>()
  for (const piece of pieces) {
    const call = calls.get(piece.index)
    if (call === undefined) calls.set(piece.index, { ...piece, function: { ...piece.function } })
    else {
      const { name, arguments: given = '' } = piece.function
      const called = call.function
      called.arguments = (called.arguments ?? '') + given
      if (name !== undefined) called.name ||= name
      calls.set(piece.index, { ...piece, ...call })
    }
  }
  return [...calls.values()].toSorted((one, other) => one.index - other.index)
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls'

export interface ProviderFinish {
  finishReason: FinishReason
  /** Missing when the provider sent none; an explicit zero is zero. */
  usage?: ProviderUsage
}

/** Takes the next pieces, none of them empty. The pieces after them wait for a promise that it returns. */
export type TakePieces = (pieces: readonly AnswerPiece[]) => Promise<void> | undefined

export interface ChatProvider {
  /** Hands on the pieces of an answer, and resolves when it is whole. @throws {ProviderError} */
  answer(
    request: ProviderChatRequest,
    signal: AbortSignal,
    take: TakePieces,
  ): Promise<ProviderFinish>
}

/** Everything a provider needs to recognise its own work after a restart. Stored as JSON with the task. */
export type ProviderOperation = Record<string, unknown>

/** One finished file: bytes made here, or a link that the service copies from. */
export type GenerationResult =
  | { type: 'bytes'; bytes: Uint8Array; contentType: string }
  | { type: 'url'; url: string }

export type GenerationState =
  /** `checkAfterMs`: when to call `check()` again; without it, after 2 s. */
  | { status: 'generating'; checkAfterMs?: number }
  | { status: 'success'; results: GenerationResult[] }
  /** Nothing has begun, or what may have begun can be asked for again: worth another try, for a time. */
  | { status: 'unbegun'; failure: ProviderFailure }
  /** Nothing has begun, and nothing will before the operator fixes something there or here. */
  | { status: 'refused'; failure: ProviderFailure }
  /** `failure`: for the operator, unless the provider reported the end of work that it had begun. */
  | { status: 'fail'; code: number; message: string; failure?: ProviderFailure }

export interface GenerationStep {
  /** Stores another operation. @throws If the lease is lost or the deadline is past: go no further. */
  save(operation: ProviderOperation): Promise<void>
  signal: AbortSignal
}

/** Makes the service's videos, images or sounds. `Params` is the checked body of the creation request. */
export interface GenerationProvider<Params> {
  /** Describes the work for `check()`, without a request; may be called again. @param key Names this task alone. */
  start(params: Params, key: string): Promise<ProviderOperation>
  /** Begins the work after a `save()` that says so, or asks for its state, once. @throws {ProviderError} */
  check(operation: ProviderOperation, step: GenerationStep): Promise<GenerationState>
}

/** `rejected`: it refused (502). `unavailable`: it was not there (503). `broken`: it broke off in the middle. */
export type ProviderErrorCode = 'rejected' | 'unavailable' | 'broken'

interface ProviderErrorFacts extends ErrorOptions {
  failure?: ProviderFailure | undefined
  isLasting?: boolean
  isTooLong?: boolean
}

/** A provider's failure. The message is fit for the service's callers; `failure` is for its operator alone. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  readonly failure: ProviderFailure | undefined
  /** True if it is `unavailable` until the operator has fixed something: it refuses whatever we ask. */
  readonly isLasting: boolean
  /** True if it is `rejected` because the conversation is too long for the model. */
  readonly isTooLong: boolean

  constructor(code: ProviderErrorCode, message: string, facts: ProviderErrorFacts = {}) {
    super(message, facts)
    this.code = code
    this.failure = facts.failure
    this.isLasting = facts.isLasting ?? false
    this.isTooLong = facts.isTooLong ?? false
  }
}
