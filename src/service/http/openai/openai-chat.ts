import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FieldProblem } from '../../../contract/chat.ts'
import type { OpenAiParameters, PromptMessage } from '../../../contract/openai.ts'
import type { ServedModels } from '../../chat/models.ts'
import { checkChatRequest, findUnsupported } from '../../chat/models.ts'
import { createOpenAiWire } from '../../chat/wire-openai.ts'
import { ProviderError } from '../../providers/provider.ts'
import type { AnswerChat } from '../answer-chat.ts'
import { Refusal } from '../refusals.ts'

/** A chat of one of OpenAI's clients, however it asked, as it is run. */
export interface OpenAiChat {
  model: string
  messages: PromptMessage[]
  max_tokens: number | null
  parameters: OpenAiParameters
  isStreamed: boolean
  includeUsage: boolean
  limitField: 'max_tokens' | 'max_completion_tokens'
}

/** Has a chat answered. A refusal is thrown, in the client's own words. */
export async function answerOpenAiChat(
  chat: OpenAiChat,
  {
    models,
    answerChat,
    ...http
  }: {
    models: ServedModels
    answerChat: AnswerChat
    request: FastifyRequest
    reply: FastifyReply
  },
): Promise<object> {
  const checked = checkChatRequest(chat, models)
  if (checked.problems !== undefined) throw refuse(checked.problems, chat)
  const { model, promptTokens, maxTokens } = checked
  const { messages, parameters, isStreamed, includeUsage } = chat
  const createWire = createOpenAiWire({ includeUsage, createdAt: new Date() })
  try {
    return await answerChat(
      { model, messages, promptTokens, maxTokens, parameters, isStreamed, createWire },
      http,
    )
  } catch (error) {
    // What an upstream has just shown that it cannot do, the next request is told before it is asked.
    const isRejected = error instanceof ProviderError && error.code === 'rejected'
    const unsupported = isRejected ? findUnsupported(model, parameters) : undefined
    throw unsupported === undefined ? error : refuse([unsupported], chat)
  }
}

const CODES: Readonly<Record<string, string>> = {
  max_tokens: 'invalid_value',
  messages: 'context_length_exceeded',
  tools: 'unsupported_parameter',
  response_format: 'unsupported_parameter',
}

function refuse(
  [problem, ...others]: readonly FieldProblem[],
  { limitField }: OpenAiChat,
): Refusal {
  const field = String(problem?.loc[1])
  const openAiCode = CODES[field]
  if (problem === undefined || field !== 'max_tokens') {
    return new Refusal(422, problem === undefined ? [] : [problem, ...others], { openAiCode })
  }
  return new Refusal(422, [{ ...problem, loc: ['body', limitField] }, ...others], { openAiCode })
}
