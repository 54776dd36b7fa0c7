import type { Responder } from '../../service/providers/openai-server.ts'
import { type LocalServer, serve } from './local-server.ts'
import { type AskedChat, playChat } from './upstream-chats.ts'
import { createWorks } from './upstream-works.ts'

/** Everybody who works behind the service. */
export interface Upstream extends LocalServer {
  imagesMade: ReadonlyMap<string, number>
  chats: ReadonlyMap<string, AskedChat>
}

/**
 * An OpenAI-like server and another service, on one port; what goes wrong there is named by each prompt.
 *
 * @param respond What the chat model does with the body of a request, if it is the test's own.
 */
export async function openUpstream(respond?: (body: unknown) => Responder): Promise<Upstream> {
  const chats = new Map<string, AskedChat>()
  const works = createWorks()
  const server = await serve(async (asked, response) => {
    if (asked.path !== '/v1/chat/completions') return await works.handle(asked, response)
    const body = JSON.parse(asked.body.toString())
    return await (respond ?? playLastMessage)(body)(response, {
      body,
      headers: asked.headers,
      url: asked.path,
    })
  })
  return { ...server, imagesMade: works.imagesMade, chats }

  function playLastMessage(body: unknown): Responder {
    const { messages } = body as { messages: { content: string }[] }
    const message = messages.at(-1)?.content ?? ''
    return playChat(message, (chat) => chats.set(message, chat))
  }
}
