import {
  cutToTokens,
  estimatePromptTokens,
  estimateTokens,
} from '../../../contract/token-estimate.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import type { ChatProvider, ProviderChatRequest, ProviderFinish, TakeDelta } from '../provider.ts'
import { createDemoAnswers } from './answer.ts'

const WORD_DELAY_MS = 30

/**
 * Answers chats without a model, word by word: questions that have an answer written in advance with that one, all others
 * by saying that it is a demo and how to go on, in Russian to a Russian message. Asked for a number of characters, it
 * writes about as many. Of the parameters it knows `stop`; it calls no tools. Usage is what the estimator counts. An aborted stream throws
 * the signal's reason at once.
 */
export function createDemoChatProvider({
  delayMs = WORD_DELAY_MS,
  clock = systemClock,
}: {
  delayMs?: number
  clock?: Pick<Clock, 'sleep'>
} = {}): ChatProvider {
  const compose = createDemoAnswers()
  return { supports: () => false, stream }

  async function stream(
    { messages, maxTokens, parameters }: ProviderChatRequest,
    signal: AbortSignal,
    take: TakeDelta,
  ): Promise<ProviderFinish> {
    signal.throwIfAborted()
    const whole = endBefore(compose(messages), [parameters?.stop ?? []].flat())
    const answer = cutToTokens(whole, maxTokens)
    for (const [word] of answer.matchAll(/\s*\S+|\s+$/gu)) {
      if (delayMs > 0) await clock.sleep(delayMs, signal)
      signal.throwIfAborted()
      await take({ text: word })
    }
    return {
      finishReason: answer === whole ? 'stop' : 'length',
      usage: {
        promptTokens: estimatePromptTokens(messages),
        completionTokens: estimateTokens(answer),
      },
    }
  }
}

function endBefore(answer: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => answer.indexOf(stop)).filter((index) => index >= 0)
  return answer.slice(0, Math.min(answer.length, ...ends))
}
