import { setTimeout as delay } from 'node:timers/promises'
import type { ChatMessage } from '../../../contract/chat.ts'
import {
  cutToTokens,
  estimatePromptTokens,
  estimateTokens,
} from '../../../contract/token-estimate.ts'
import type { ChatProvider, ProviderChatRequest, ProviderFinish, TakeDelta } from '../provider.ts'
import { composeDemoAnswer } from './answer.ts'

const WORD_DELAY_MS = 30

export interface DemoChatOptions {
  /** Between one word and the next; 0 for none. */
  delayMs?: number
  /** Rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Answers chats without a model: it says that it is a demo, quotes the last message and shows what formatting
 * looks like, word by word, in Russian to a Russian message. Asked to write so many characters, it writes about
 * that many. Usage is what the estimator counts. An aborted stream throws the signal's reason at once.
 */
export function createDemoChatProvider({
  delayMs = WORD_DELAY_MS,
  sleep = sleepUntilAborted,
}: DemoChatOptions = {}): ChatProvider {
  return { stream }

  async function stream(
    { messages, maxTokens }: ProviderChatRequest,
    signal: AbortSignal,
    take: TakeDelta,
  ): Promise<ProviderFinish> {
    signal.throwIfAborted()
    const whole = composeDemoAnswer(messages)
    const answer = cutToTokens(whole, maxTokens)
    for (const [word] of answer.matchAll(/\s*\S+|\s+$/gu)) {
      if (delayMs > 0) await sleep(delayMs, signal)
      signal.throwIfAborted()
      await take(word)
    }
    return {
      finishReason: answer === whole ? 'stop' : 'length',
      usage: countUsage(messages, answer),
    }
  }
}

function countUsage(messages: readonly ChatMessage[], answer: string) {
  return {
    promptTokens: estimatePromptTokens(messages),
    completionTokens: estimateTokens(answer),
  }
}

async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  // Its own rejection only wraps the reason, which the caller throws.
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
