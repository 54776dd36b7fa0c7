import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Dispatch } from './api/dispatch.ts'
import type { CallLog } from './checks/call-log.ts'
import { ApiError, type MethodAnswer, refusal, toEnvelope } from './wire/envelope.ts'
import { type Params, textOf } from './wire/params.ts'
import { readParams } from './wire/read-params.ts'
import type { FileStore } from './world/files.ts'

const GATEWAY_PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n'

export interface ServerDeps {
  token: string
  files: FileStore
  callLog: CallLog
  dispatch: Dispatch
}

/** The Bot API over HTTP, by any verb and any of the four ways to pass parameters. */
export function createServer({ token, files, callLog, dispatch }: ServerDeps) {
  const app = Fastify({ forceCloseConnections: true })
  app.removeAllContentTypeParsers()
  // Bodies are read where the rules for them stand, from the raw request.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.all('/*', handle)
  return app

  async function handle(request: FastifyRequest, reply: FastifyReply) {
    const [path = '', query = ''] = (request.raw.url ?? '').split(/\?(.*)/s)
    const match = /^\/(?<isFile>file\/)?bot(?<given>[^/]*)\/(?<rest>.*)$/s.exec(path)
    if (!match?.groups) return write(reply, new ApiError(404, 'Not Found'))
    const { isFile, given = '', rest = '' } = match.groups
    const refused = checkToken(decodeURIComponent(given))
    if (refused) return write(reply, refused)
    if (isFile) return download(reply, rest)
    return serve(request, reply, rest.replace(/^test\//, ''), query)
  }

  function checkToken(given: string): ApiError | undefined {
    const isWellFormed = /^[1-9]\d*:/.test(given) && given.length <= 80
    if (!isWellFormed) return refusal(401, 'invalid token specified')
    return given === token ? undefined : refusal(401, 'Unauthorized')
  }

  function download(reply: FastifyReply, path: string) {
    const file = files.readPath(path)
    if (file?.bytes === undefined) return write(reply, new ApiError(404, 'Not Found'))
    return reply.type('application/octet-stream').send(file.bytes)
  }

  async function serve(request: FastifyRequest, reply: FastifyReply, name: string, query: string) {
    let params: Params
    try {
      params = await readParams(request.raw, query)
    } catch (error) {
      // The client left in the middle of its own body and hears no answer.
      if (!(error instanceof ApiError)) return cut(request, reply)
      callLog.note(callLog.begin(name), { status: error.code, body: toEnvelope(error) })
      return write(reply, error)
    }
    const method = name === '' ? textOf(params, 'method') : name
    const reaction = await dispatch.perform(method, params)
    if (reaction === 'cut') return cut(request, reply)
    if (reaction === 'page') return reply.code(502).type('text/html').send(GATEWAY_PAGE)
    return write(reply, reaction)
  }
}

function write(reply: FastifyReply, reaction: MethodAnswer | ApiError) {
  if (reaction instanceof ApiError) {
    reply.code(reaction.code)
    const { retry_after } = reaction.parameters
    if (retry_after !== undefined) reply.header('retry-after', String(retry_after))
  }
  return reply.type('application/json').send(JSON.stringify(toEnvelope(reaction)))
}

function cut(request: FastifyRequest, reply: FastifyReply) {
  reply.hijack()
  request.raw.socket.destroy()
}
