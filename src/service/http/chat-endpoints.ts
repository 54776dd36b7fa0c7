import type { FastifyPluginAsync } from 'fastify'
import { type ChatModels, ChatRequest } from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import { OpenAiChatRequest, type OpenAiModel, type OpenAiModels } from '../../contract/openai.ts'
import { compileSchema } from '../../platform/guard.ts'
import { checkChatRequest, type ServedModel } from '../chat/models.ts'
import { createInterfaceWire, createOpenAiWire } from '../chat/wire.ts'
import { toFieldProblems } from '../field-problems.ts'
import { mayUseModel } from '../ledger/api-keys.ts'
import type { KeyedAccount } from '../ledger/known-keys.ts'
import { type ChatEndpoint, chatRoute } from './chat.ts'
import type { HttpContext } from './context.ts'
import { readOpenAiChat } from './read-openai-chat.ts'
import { Refusal, refuseFields } from './refusals.ts'

// A list of a million messages can be wrong a million times: the first problem is enough.
const FIRST = { allErrors: false }

/** OpenAI's codes for the fields that depend on the model. */
const OPENAI_CODES: Readonly<Record<string, string>> = {
  max_tokens: 'invalid_value',
  messages: 'context_length_exceeded',
}

export function chatRoutes(context: HttpContext): FastifyPluginAsync {
  const config = { refusalsAs: 'openai' } as const
  const { models } = context.offers
  const allowedTo = (account: KeyedAccount) =>
    [...models().values()].filter(({ id }) => mayUseModel(account, id))
  return async (app) => {
    await app.register(chatRoute(context, createInterfaceEndpoint()))
    await app.register(chatRoute(context, createOpenAiEndpoint()))
    app.get('/chats/models', async ({ account }): Promise<ChatModels> => {
      return { models: allowedTo(account).map(toInterfaceModel) }
    })
    app.get('/models', { config }, async ({ account }): Promise<OpenAiModels> => {
      return { object: 'list', data: allowedTo(account).map(toOpenAiModel) }
    })
    app.get<{ Params: { model: string } }>(
      '/models/:model',
      { config },
      async ({ account, params }): Promise<OpenAiModel> => {
        const model = models().get(params.model)
        if (model === undefined || !mayUseModel(account, model.id)) throw new Refusal('no_model')
        return toOpenAiModel(model)
      },
    )
  }
}

function createInterfaceEndpoint(): ChatEndpoint {
  const validate = compileSchema(ChatRequest, FIRST)
  const isRequest = (body: unknown): body is ChatRequest => validate(body)
  return {
    path: '/chats/completions',
    refusalsAs: 'sentence',
    read(body, models) {
      if (!isRequest(body)) throw refuseFields(toFieldProblems(validate.errors ?? [], 'body'))
      const checked = checkChatRequest(body, models)
      if (checked.problems !== undefined) throw refuseFields(checked.problems)
      // Its unknown fields may be as large as the rest.
      const messages = body.messages.map(({ role, content }) => ({ role, content }))
      const isStreamed = body.stream === true
      return { ...checked, messages, isStreamed, createWire: createInterfaceWire }
    },
  }
}

function createOpenAiEndpoint(): ChatEndpoint {
  const validate = compileSchema(OpenAiChatRequest, FIRST)
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
        throw refuseFields(problems, OPENAI_CODES[String(checked.problems[0]?.loc[1])])
      }
      const createWire = createOpenAiWire({ includeUsage, createdAt: new Date() })
      return { ...chat, ...checked, createWire }
    },
  }
}

function toInterfaceModel(model: ServedModel): ChatModels['models'][number] {
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

function toOpenAiModel({ id, family }: ServedModel): OpenAiModel {
  return { id, object: 'model', created: 0, owned_by: family }
}
