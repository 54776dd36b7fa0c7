import type {
  AnswerPiece,
  ChatProvider,
  ProviderChatRequest,
  ProviderFinish,
} from '../../../src/service/providers/provider.ts'
import { joinPieces } from '../../../src/service/providers/provider.ts'

/** An event that a provider hands on. */
export type CollectedEvent =
  | ({ type: 'delta' } & AnswerPiece)
  | ({ type: 'finish' } & ProviderFinish)

/**
 * Streams a whole answer.
 *
 * @param events Receives them as they come: also those before a failure.
 */
export async function collectEvents(
  provider: ChatProvider,
  request: ProviderChatRequest,
  signal: AbortSignal,
  events: CollectedEvent[] = [],
): Promise<CollectedEvent[]> {
  const finish = await provider.answer(request, signal, (pieces) => {
    for (const piece of pieces) events.push({ type: 'delta', ...piece })
    return undefined
  })
  events.push({ type: 'finish', ...finish })
  return events
}

/** Asks for an answer in one piece. */
export async function answerPlain(
  provider: ChatProvider,
  request: ProviderChatRequest,
  signal: AbortSignal,
): Promise<ProviderFinish & { answer: AnswerPiece }> {
  const pieces: AnswerPiece[] = []
  const take = (some: readonly AnswerPiece[]) => void pieces.push(...some)
  const finish = await provider.answer({ ...request, isPlain: true }, signal, take)
  return { ...finish, answer: joinPieces(pieces) }
}
