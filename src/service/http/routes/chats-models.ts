import type { FastifyPluginAsync } from 'fastify'
import { ChatModels } from '../../../contract/chat.ts'
import { toWireRub } from '../../../contract/money.ts'
import type { ServedModel, ServedModels } from '../../chat/models.ts'
import { mayUse } from '../../ledger/api-keys.ts'
import { describeAnswers } from '../answers.ts'

const SCHEMA = {
  operationId: 'listChatModels',
  tags: ['chat'],
  summary: 'List the chat models that the API key may use, and their prices',
  response: describeAnswers(ChatModels),
}

/** `GET /chats/models`. */
export function chatsModelsRoute({ models }: { models: () => ServedModels }): FastifyPluginAsync {
  return async (app) => {
    app.get('/chats/models', { schema: SCHEMA }, async ({ account }): Promise<ChatModels> => {
      const allowed = [...models().values()].filter(({ id }) => mayUse(account, id))
      return { models: allowed.map(toWire) }
    })
  }
}

function toWire(model: ServedModel): ChatModels['models'][number] {
  const { prompt, cachedPrompt, completion } = model.prices
  return {
    id: model.id,
    family: model.family,
    context_tokens: model.contextTokens,
    prompt_rub_per_1m: toWireRub(prompt),
    ...(cachedPrompt !== undefined && { cached_prompt_rub_per_1m: toWireRub(cachedPrompt) }),
    completion_rub_per_1m: toWireRub(completion),
    ...(model.thinkingTokens > 0 && { thinking_tokens: model.thinkingTokens }),
  }
}
