import type { ValidateFunction } from 'ajv'
import type { FastifyPluginAsync } from 'fastify'
import { compileSchema } from '../../../platform/guard.ts'
import type { ServedModels } from '../../chat/models.ts'
import type { CreateChatWire } from '../../chat/wire/chat-wire.ts'
import { type AnswerChat, CHAT_BODY_BYTES_MAX } from '../answer-chat.ts'
import { Refusal } from '../refusals.ts'
import { answerOpenAiChat, type OpenAiChat } from './openai-chat.ts'

export interface OpenAiRouteDeps {
  models: () => ServedModels
  answerChat: AnswerChat
}

/**
 * A path of OpenAI's at which chats are asked for, in one of its shapes.
 *
 * @param read Reads a body, by the compiled schema of it.
 * @param toWire Says how the answer to a chat is written.
 */
export function openAiRoute<Chat extends OpenAiChat = OpenAiChat>(
  { models, answerChat }: OpenAiRouteDeps,
  {
    path,
    schema,
    read,
    toWire,
  }: {
    path: string
    schema: object
    read: (body: unknown, validate: ValidateFunction) => Chat | Refusal
    toWire: (chat: Chat) => CreateChatWire
  },
): FastifyPluginAsync {
  return async (app) => {
    app.post(
      path,
      {
        bodyLimit: CHAT_BODY_BYTES_MAX,
        schema,
        validatorCompiler: ({ schema, httpPart }) => {
          if (httpPart !== 'body') return () => true
          const validate = compileSchema(schema as object, { allErrors: false })
          return (body) => {
            const chat = read(body, validate)
            return chat instanceof Refusal ? { error: chat } : { value: chat }
          }
        },
        config: { refusalsAs: 'openai', keyIsProvenByHold: true },
      },
      async (request, reply) => {
        const chat = request.body as Chat
        // The messages stay as long as the answer takes, all else can go; the type knows a body to the end.
        request.body = undefined as never
        return await answerOpenAiChat(chat, {
          models: models(),
          answerChat,
          createWire: toWire(chat),
          request,
          reply,
        })
      },
    )
  }
}
