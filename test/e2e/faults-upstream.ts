import { playChat } from './faults-chats.ts'
import { type LocalServer, serve } from './faults-server.ts'
import { createWorks } from './faults-works.ts'

/** Everybody who works behind the service. */
export interface Upstream extends LocalServer {
  /** How often each image was made, by prompt. */
  imagesMade: ReadonlyMap<string, number>
}

/** An OpenAI-like server and another service, on one port; what goes wrong there is said by each prompt. */
export async function openUpstream(): Promise<Upstream> {
  const works = createWorks()
  const server = await serve(async (asked, response) => {
    if (asked.path !== '/v1/chat/completions') return await works.handle(asked, response)
    const body = JSON.parse(asked.body.toString())
    const play = playChat(body.messages.at(-1).content)
    return await play(response, { body, headers: asked.headers, url: asked.path })
  })
  return { ...server, imagesMade: works.imagesMade }
}
