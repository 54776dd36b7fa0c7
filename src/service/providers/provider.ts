import type { ChatMessage } from '../../contract/chat.ts'

/** What a chat provider is asked for: the whole history and the most tokens it may answer with. */
export interface ProviderChatRequest {
  messages: readonly ChatMessage[]
  maxTokens: number
}

/** Tokens as the provider counted them. */
export interface ProviderUsage {
  promptTokens: number
  completionTokens: number
}

/** How an answer ended. */
export interface ProviderFinish {
  finishReason: string
  /** Missing when the provider sent none; an explicit zero is zero. */
  usage?: ProviderUsage
}

/**
 * Takes the next piece of an answer, never an empty one.
 *
 * @returns What to wait for before the next piece, if the taker is behind.
 */
export type TakeDelta = (text: string) => Promise<void> | undefined

/** Who answers chat completions behind the service. */
export interface ChatProvider {
  /**
   * Streams one completion: hands each delta on in order, the moment it comes, and resolves when the answer
   * is whole.
   *
   * @throws {ProviderError} If the provider refuses, cannot be reached, or breaks off. What the taker throws
   * ends the stream and is thrown as it is; so is the signal's reason, at once.
   */
  stream(
    request: ProviderChatRequest,
    signal: AbortSignal,
    take: TakeDelta,
  ): Promise<ProviderFinish>
}

/** What a provider needs to recognise its own work after a restart. Stored as JSON with the task. */
export type ProviderOperation = Record<string, unknown>

/** One finished file: bytes made here, or a link that the service copies from. */
export type GenerationResult =
  | { type: 'bytes'; bytes: Uint8Array; extension: string; contentType: string }
  | { type: 'url'; url: string }

export type GenerationState =
  /** `checkAfterMs`: how long to leave it alone; without it, as long as its endpoint does. */
  | { status: 'generating'; checkAfterMs?: number }
  | { status: 'success'; results: GenerationResult[] }
  | { status: 'fail'; code: number; message: string }

/** One step of the work behind a task, taken by the only process that may. */
export interface GenerationStep {
  /**
   * Stores another operation in place of the one that `check()` was given.
   *
   * @throws If the task is somebody else's by now, or past its deadline: go no further.
   */
  save(operation: ProviderOperation): Promise<void>
  signal: AbortSignal
}

/** Who makes videos, images or sounds behind the service. `Params` is the checked body of the creation request. */
export interface GenerationProvider<Params> {
  /**
   * Writes the work down. Called again if a process dies before it is stored, so work that costs
   * something does not begin here but in `check()`, after a `save()` that says so.
   *
   * @param key Names this task among all that anybody ever sends to the provider.
   * @returns What `check()` needs; stored before the first `check()`.
   * @throws {ProviderError} If the provider refuses or cannot be reached.
   */
  start(params: Params, key: string, signal: AbortSignal): Promise<ProviderOperation>
  /**
   * Takes the work on, or looks at it, once. May be called again after a restart with the stored operation.
   *
   * @throws {ProviderError} If it could not look; the work may still succeed.
   */
  check(operation: ProviderOperation, step: GenerationStep): Promise<GenerationState>
}

/** `rejected`: it said no (502). `unavailable`: it was not there (503). `broken`: it broke off in the middle. */
export type ProviderErrorCode = 'rejected' | 'unavailable' | 'broken'

/** A provider that did not do what it was asked. The message is fit for the service's callers. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode

  constructor(code: ProviderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
