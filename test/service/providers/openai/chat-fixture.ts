import {
  createOpenAiChatProvider,
  type OpenAiChatOptions,
} from '../../../../src/service/providers/openai/chat.ts'
import { type CollectedEvent, collectEvents } from '../collect-events.ts'
import { type Responder, startOpenAiServer } from '../openai-server.ts'

export const UNABORTED = new AbortController().signal
export const REQUEST = {
  messages: [{ role: 'user' as const, content: 'hello there' }],
  maxTokens: 64,
}
export const API_KEY = 'sk-never-shown'

/** Plays one answer of the upstream to the provider; `events` holds what came before a failure. */
export async function play(
  responder: Responder,
  options: Partial<OpenAiChatOptions> = {},
  events: CollectedEvent[] = [],
): Promise<CollectedEvent[]> {
  await using server = await startOpenAiServer(responder)
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', ...options })
  return await collectEvents(provider, REQUEST, UNABORTED, events)
}
