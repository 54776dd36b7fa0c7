import { type ChatProvider, ProviderError, type ProviderErrorCode } from '../provider.ts'

/**
 * The ways of a model that is there to fail: it refuses, is not there, breaks off in the middle, or uses more than was
 * held for it.
 */
export const MODEL_PROVOCATIONS = ['refused', 'unavailable', 'broken', 'longer'] as const
export type ModelProvocation = (typeof MODEL_PROVOCATIONS)[number]

/** How much is said before a break, whatever a request allows: some deltas. */
const BROKEN_AFTER_TOKENS = 12

/** What an answer that is longer than was asked for took, by its usage: thoughts, for instance. */
const LONGER_TIMES = 2

/** They have no failure of an upstream: the next chat meets the same, and no operator has anything to mend. */
const PROVOKED: Readonly<Record<Exclude<ModelProvocation, 'longer'>, [ProviderErrorCode, string]>> =
  {
    refused: ['rejected', 'The demo refuses every chat of this model.'],
    unavailable: ['unavailable', 'The demo is never there for this model.'],
    broken: ['broken', 'The demo breaks off every answer of this model.'],
  }

/** Has a provider fail at every chat, so that a client can see what comes of it. */
export function failAt(way: ModelProvocation, { supports, stream }: ChatProvider): ChatProvider {
  if (way === 'longer') return useMore({ supports, stream })
  const [code, message] = PROVOKED[way]
  return {
    supports,
    async stream(request, signal, take) {
      if (way === 'broken') {
        await stream({ ...request, maxTokens: BROKEN_AFTER_TOKENS }, signal, take)
      }
      throw new ProviderError(code, message)
    },
  }
}

function useMore({ supports, stream }: ChatProvider): ChatProvider {
  return {
    supports,
    async stream(request, signal, take) {
      const finish = await stream(request, signal, take)
      if (finish.usage === undefined) return finish
      const completionTokens = request.maxTokens * LONGER_TIMES
      return { ...finish, usage: { ...finish.usage, completionTokens } }
    },
  }
}
