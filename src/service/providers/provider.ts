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

export type ProviderChatEvent =
  | { type: 'delta'; text: string }
  /** `usage` is missing when the provider sent none; an explicit zero is zero. */
  | { type: 'finish'; finishReason: string; usage?: ProviderUsage }

/** Who answers chat completions behind the service. */
export interface ChatProvider {
  /**
   * Streams one completion.
   *
   * @yields Any number of `delta`s in order, none empty, then exactly one `finish`.
   * @throws {ProviderError} If the provider refuses, cannot be reached, or breaks off.
   */
  stream(request: ProviderChatRequest, signal: AbortSignal): AsyncIterable<ProviderChatEvent>
}

/** What a provider needs to recognise its own work after a restart. Stored as JSON with the task. */
export type ProviderOperation = Record<string, unknown>

/** One finished file: bytes made here, or a link that the service copies from. */
export type GenerationResult =
  | { type: 'bytes'; bytes: Uint8Array; extension: string; contentType: string }
  | { type: 'url'; url: string }

export type GenerationState =
  | { status: 'generating' }
  | { status: 'success'; results: GenerationResult[] }
  | { status: 'fail'; code: number; message: string }

/** Who makes videos, images or sounds behind the service. `Params` is the checked body of the creation request. */
export interface GenerationProvider<Params> {
  /**
   * Begins the work.
   *
   * @returns What `check()` needs; stored before the first `check()`.
   * @throws {ProviderError} If the provider refuses or cannot be reached.
   */
  start(params: Params, signal: AbortSignal): Promise<ProviderOperation>
  /**
   * Looks at the work once. May be called again after a restart with the stored operation.
   *
   * @throws {ProviderError} If it could not look; the work may still succeed.
   */
  check(operation: ProviderOperation, signal: AbortSignal): Promise<GenerationState>
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
