import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { CallLog } from './checks/call-log.ts'
import type { Dispatch } from './methods/dispatch.ts'
import { ApiError, type MethodAnswer, refusal, toEnvelope } from './wire/envelope.ts'
import { urlDecode } from './wire/multipart.ts'
import { type Params, textOf } from './wire/params.ts'
import { readParams } from './wire/read-params.ts'
import type { FileStore } from './world/files.ts'

const GATEWAY_PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n'

export interface BotApiDeps {
  token: string
  files: FileStore
  callLog: CallLog
  dispatch: Dispatch
}

/**
 * Answers requests as Telegram's own server does: any verb, any of the four ways to pass parameters,
 * and regardless of the request's other headers.
 */
export function createBotApi({ token, files, callLog, dispatch }: BotApiDeps) {
  return { concerns, handle }

  /** Checks whether a request is for the Bot API, and not for another part of the server. */
  function concerns({ url = '' }: IncomingMessage): boolean {
    return !url.startsWith('/') || /^\/(file\/)?bot/.test(url)
  }

  /** Never rejects: a client that is gone hears nothing. */
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [url = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    if (!url.startsWith('/')) {
      const reason = 'Not Found: absolute URI is specified in the Request-Line'
      return write(response, new ApiError(404, reason))
    }
    const path = /^\/(?<isFile>file\/)?bot(?<given>[^/]*)\/(?<rest>.*)$/s.exec(urlDecode(url))
    if (!path?.groups) return write(response, new ApiError(404, 'Not Found'))
    const { isFile, given = '', rest = '' } = path.groups
    const refused = checkToken(given)
    if (refused) return write(response, refused)
    if (isFile) return download(response, rest)
    return serve(request, response, { name: rest.replace(/^test\//, ''), query })
  }

  function checkToken(given: string): ApiError | undefined {
    const isWellFormed = /^[1-9]\d*:/.test(given) && given.length <= 80
    if (!isWellFormed) return refusal(401, 'invalid token specified')
    return given === token ? undefined : refusal(401, 'Unauthorized')
  }

  function download(response: ServerResponse, path: string): void {
    const file = files.readPath(path)
    if (file === undefined) {
      write(response, new ApiError(404, 'Not Found'))
      return
    }
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': file.size,
    })
    // A reader that leaves, and a file that is removed meanwhile, end in a cut connection.
    pipeline(file.read(), response).catch(() => response.destroy())
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { name, query }: { name: string; query: string },
  ): Promise<void> {
    let params: Params
    try {
      params = await readParams(request, query)
    } catch (error) {
      // The client left in the middle of its own body and hears no answer.
      if (!(error instanceof ApiError)) return cut(request)
      callLog.update(callLog.begin(name), { status: error.code, body: toEnvelope(error) })
      return write(response, error)
    }
    const method = name === '' ? textOf(params, 'method') : name
    const reaction = await dispatch.perform(method, params)
    if (reaction === 'cut') return cut(request)
    if (reaction !== 'page') return write(response, reaction)
    send(response, { status: 502, type: 'text/html', body: Buffer.from(GATEWAY_PAGE) })
  }
}

function write(response: ServerResponse, reaction: MethodAnswer | ApiError): void {
  const status = reaction instanceof ApiError ? reaction.code : 200
  const retryAfter = reaction instanceof ApiError ? reaction.parameters.retry_after : undefined
  const body = Buffer.from(JSON.stringify(toEnvelope(reaction)))
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  send(response, { status, type: 'application/json', body })
}

function send(
  response: ServerResponse,
  { status, type, body }: { status: number; type: string; body: Buffer },
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body)
}

function cut(request: IncomingMessage): void {
  request.socket.destroy()
}
