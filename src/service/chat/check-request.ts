import type { ChatRequest } from '../../contract/chat.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import type { ServedModel, ServedModels } from './models.ts'

export type CheckedRequest =
  | { model: ServedModel; maxTokens: number; problems?: never }
  | { problems: FieldProblem[] }

/** What the schema of a chat request cannot say: whether the model is served, and fits the answer. */
export function checkChatRequest(
  { model: modelId, max_tokens }: ChatRequest,
  models: ServedModels,
): CheckedRequest {
  const model = models.get(modelId)
  if (model === undefined) {
    return { problems: [{ loc: ['body', 'model'], msg: 'is not one of GET /chats/models' }] }
  }
  const maxTokens = max_tokens ?? model.defaultMaxTokens
  if (maxTokens > model.contextTokens) {
    const msg = `must be at most ${model.contextTokens}, the context of the model`
    return { problems: [{ loc: ['body', 'max_tokens'], msg }] }
  }
  return { model, maxTokens }
}
