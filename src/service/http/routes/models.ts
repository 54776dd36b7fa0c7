import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { OpenAiModel, OpenAiModels } from '../../../contract/openai.ts'
import type { ServedModel, ServedModels } from '../../chat/models.ts'
import { mayUse } from '../../ledger/api-keys.ts'
import { describeAnswers } from '../answers.ts'
import { NO_MODEL, Refusal } from '../refusals.ts'

const LIST_SCHEMA = {
  operationId: 'listOpenAiModels',
  tags: ['openai'],
  summary: 'List the chat models that the API key may use in OpenAI’s shape',
  description: 'Their prices are in `GET /chats/models`.',
  response: describeAnswers(OpenAiModels, { refusalsAs: 'openai' }),
}

const MODEL_SCHEMA = {
  operationId: 'getOpenAiModel',
  tags: ['openai'],
  summary: 'See one chat model in OpenAI’s shape',
  params: Type.Object({
    model: Type.String({ description: 'The `id` of a model.', examples: ['alpha-large'] }),
  }),
  response: describeAnswers(OpenAiModel, { refusalsAs: 'openai', others: { 404: NO_MODEL } }),
}

/** `GET /models` and `GET /models/{model}`, for OpenAI's clients. */
export function modelsRoute({ models }: { models: () => ServedModels }): FastifyPluginAsync {
  const config = { refusalsAs: 'openai' } as const
  return async (app) => {
    app.get(
      '/models',
      { schema: LIST_SCHEMA, config },
      async ({ account }): Promise<OpenAiModels> => {
        const allowed = [...models().values()].filter(({ id }) => mayUse(account, id))
        return { object: 'list', data: allowed.map(toOpenAiModel) }
      },
    )
    app.get<{ Params: { model: string } }>(
      '/models/:model',
      { schema: MODEL_SCHEMA, config },
      async ({ account, params }): Promise<OpenAiModel> => {
        const model = models().get(params.model)
        if (model === undefined || !mayUse(account, model.id)) {
          throw new Refusal(404, NO_MODEL.detail)
        }
        return toOpenAiModel(model)
      },
    )
  }
}

function toOpenAiModel({ id, family }: ServedModel): OpenAiModel {
  return { id, object: 'model', created: 0, owned_by: family }
}
