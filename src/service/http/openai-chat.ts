import type { FastifyPluginAsync } from 'fastify'
import { OpenAiChatRequest, type OpenAiModel, type OpenAiModels } from '../../contract/openai.ts'
import { compileSchema } from '../../platform/guard.ts'
import { checkChatRequest, findUnsupported, type ServedModel } from '../chat/models.ts'
import { createOpenAiWire } from '../chat/wire-openai.ts'
import { mayUse } from '../ledger/api-keys.ts'
import { ProviderError } from '../providers/provider.ts'
import { type ChatEndpoint, chatRoute } from './chat.ts'
import type { HttpContext } from './context.ts'
import { readOpenAiChat } from './read-openai-chat.ts'
import { Refusal, refuseFields } from './refusals.ts'

/** `POST /chat/completions`, `GET /models` and `GET /models/{model}`, for OpenAI's clients. */
export function openAiChatRoutes(context: HttpContext): FastifyPluginAsync {
  const config = { refusalsAs: 'openai' } as const
  const { models } = context.offers
  return async (app) => {
    await app.register(chatRoute(context, createEndpoint()))
    app.get('/models', { config }, async ({ account }): Promise<OpenAiModels> => {
      const allowed = [...models().values()].filter(({ id }) => mayUse(account, id))
      return { object: 'list', data: allowed.map(toWireModel) }
    })
    app.get<{ Params: { model: string } }>(
      '/models/:model',
      { config },
      async ({ account, params }): Promise<OpenAiModel> => {
        const model = models().get(params.model)
        if (model === undefined || !mayUse(account, model.id)) throw new Refusal('no_model')
        return toWireModel(model)
      },
    )
  }
}

const CODES: Readonly<Record<string, string>> = {
  max_tokens: 'invalid_value',
  messages: 'context_length_exceeded',
  tools: 'unsupported_parameter',
  response_format: 'unsupported_parameter',
}

function createEndpoint(): ChatEndpoint {
  const validate = compileSchema(OpenAiChatRequest, { allErrors: false })
  return {
    path: '/chat/completions',
    refusalsAs: 'openai',
    read(body, models) {
      const { limitField, includeUsage, ...chat } = readOpenAiChat(body, validate)
      const checked = checkChatRequest(chat, models)
      if (checked.problems !== undefined) {
        const problems = checked.problems.map((problem) =>
          problem.loc[1] === 'max_tokens' ? { ...problem, loc: ['body', limitField] } : problem,
        )
        throw refuseFields(problems, CODES[String(checked.problems[0]?.loc[1])])
      }
      const createWire = createOpenAiWire({ includeUsage, createdAt: new Date() })
      return { ...chat, ...checked, createWire }
    },
    explain(error, { model, parameters = {} }) {
      // An upstream may just have shown what it cannot do: the next request is refused before it is asked.
      const isRejected = error instanceof ProviderError && error.code === 'rejected'
      const problem = isRejected ? findUnsupported(model, parameters) : undefined
      return problem && refuseFields([problem], CODES[String(problem.loc[1])])
    },
  }
}

function toWireModel({ id, family }: ServedModel): OpenAiModel {
  return { id, object: 'model', created: 0, owned_by: family }
}
