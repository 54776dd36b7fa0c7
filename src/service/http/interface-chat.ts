import type { FastifyPluginAsync } from 'fastify'
import { type ChatModels, ChatRequest } from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import { compileSchema } from '../../platform/guard.ts'
import { checkChatRequest, type ServedModel } from '../chat/models.ts'
import { createInterfaceWire } from '../chat/wire.ts'
import { toFieldProblems } from '../field-problems.ts'
import { mayUse } from '../ledger/api-keys.ts'
import { type ChatEndpoint, chatRoute } from './chat.ts'
import type { HttpContext } from './context.ts'
import { refuseFields } from './refusals.ts'

/** `POST /chats/completions` and `GET /chats/models`, as the interface document has them. */
export function interfaceChatRoutes(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    await app.register(chatRoute(context, createEndpoint()))
    app.get('/chats/models', async ({ account }): Promise<ChatModels> => {
      const models = [...context.offers.models().values()]
      return { models: models.filter(({ id }) => mayUse(account, id)).map(toWireModel) }
    })
  }
}

function createEndpoint(): ChatEndpoint {
  // A list of a million messages can be wrong a million times: the first problem is enough.
  const validate = compileSchema(ChatRequest, { allErrors: false })
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

  function isRequest(body: unknown): body is ChatRequest {
    return validate(body)
  }
}

function toWireModel(model: ServedModel): ChatModels['models'][number] {
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
