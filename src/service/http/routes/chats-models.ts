import type { FastifyPluginAsync } from 'fastify'
import { ChatModels } from '../../../contract/models.ts'
import { toWireRub } from '../../../contract/money.ts'
import type { ServedModel, ServedModels } from '../../chat/models.ts'
import { describeAnswers } from '../answers.ts'

const SCHEMA = {
  tags: ['chat'],
  summary: 'List the chat models and their prices',
  response: describeAnswers(ChatModels),
}

/** `GET /chats/models`. */
export function chatsModelsRoute({ models }: { models: () => ServedModels }): FastifyPluginAsync {
  return async (app) => {
    app.get('/chats/models', { schema: SCHEMA }, async (): Promise<ChatModels> => {
      return { models: [...models().values()].map(toWire) }
    })
  }
}

function toWire(model: ServedModel): ChatModels['models'][number] {
  return {
    id: model.id,
    family: model.family,
    context_tokens: model.contextTokens,
    prompt_rub_per_1m: toWireRub(model.promptMicroRubPer1m),
    completion_rub_per_1m: toWireRub(model.completionMicroRubPer1m),
  }
}
