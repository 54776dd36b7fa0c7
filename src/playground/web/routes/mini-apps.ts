import type { FastifyInstance } from 'fastify'
import { readFields, readId } from '../http/read-fields.ts'
import type { WebDeps } from '../web-deps.ts'
import { type ChatRequest, enterChat, meet } from './enter-chat.ts'

interface IdRoute {
  Params: ChatRequest['params']
}

/** The routes of steps with Mini Apps. */
export function miniAppRoutes(app: FastifyInstance, deps: WebDeps): void {
  const { control } = deps

  app.post<IdRoute>('/chats/:id/web-apps', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    return { init_data: control.opensWebApp({ userId, chatId, url: body.text('url') }) }
  })

  app.post<IdRoute>('/chats/:id/web-app-data', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const data = body.text('data')
    control.sendsWebAppData({ userId, chatId, data, buttonText: body.text('button_text') })
    return {}
  })

  /** Serves a person with curl, who is made on first use. */
  app.post<IdRoute>('/users/:id/init-data', async ({ params, body }) => {
    const fields = readFields(body)
    const userId = readId(params.id)
    meet({ userId, firstName: fields.ifGiven(fields.text, 'first_name') }, deps)
    return { init_data: control.initData(userId) }
  })
}
