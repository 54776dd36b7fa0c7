import type {
  AnswerPiece,
  ChatProvider,
  ProviderChatRequest,
  ProviderFinish,
} from '../../../src/service/providers/provider.ts'

/** An event that a provider hands on. */
export type CollectedEvent =
  | ({ type: 'delta' } & AnswerPiece)
  | ({ type: 'finish' } & ProviderFinish)

/**
 * Streams a whole answer.
 *
 * @param events Where they are put as they come: also what a failure came after.
 */
export async function collectEvents(
  provider: ChatProvider,
  request: ProviderChatRequest,
  signal: AbortSignal,
  events: CollectedEvent[] = [],
): Promise<CollectedEvent[]> {
  const finish = await provider.stream(request, signal, (delta) => {
    events.push({ type: 'delta', ...delta })
    return undefined
  })
  events.push({ type: 'finish', ...finish })
  return events
}
