import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { readParams } from './body.ts'
import type { CallLog, RecordedCall } from './calls.ts'
import { type Answer, ApiError, refusal, toEnvelope } from './envelope.ts'
import { type ActiveFault, type createFaults, isRichMethod, toRefusal } from './faults.ts'
import type { House } from './methods/method.ts'
import { findMethod } from './methods/table.ts'
import { type Params, textOf, without } from './params.ts'

const GATEWAY_PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n'

export interface ServerDeps {
  token: string
  house: House
  callLog: CallLog
  faults: ReturnType<typeof createFaults>
  log: (line: string) => void
}

/** What leaves the server: an answer, a page that is no JSON, or nothing at all. */
type Reaction = Answer | ApiError | 'page' | 'cut'

/** The Bot API over HTTP, by whatever verb and any of the four ways to pass parameters. */
export function createServer({ token, house, callLog, faults, log }: ServerDeps) {
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
    const file = house.files.readPath(path)
    if (file?.bytes === undefined) return write(reply, new ApiError(404, 'Not Found'))
    return reply.type('application/octet-stream').send(file.bytes)
  }

  async function serve(request: FastifyRequest, reply: FastifyReply, name: string, query: string) {
    let params: Params
    try {
      params = await readParams(request.raw, query)
    } catch (error) {
      // The client left in the middle of its own body: there is nobody to answer.
      if (!(error instanceof ApiError)) return cut(request, reply)
      const call = callLog.begin(name)
      callLog.note(call, { status: error.code, body: toEnvelope(error) })
      return write(reply, error)
    }
    const method = name === '' ? textOf(params, 'method') : name
    const call = callLog.begin(method)
    callLog.note(call, { given: params })
    const reaction = await react(call, params)
    if (reaction === 'cut') {
      callLog.note(call, { status: 0 })
      return cut(request, reply)
    }
    if (reaction === 'page') {
      callLog.note(call, { status: 502 })
      return reply.code(502).type('text/html').send(GATEWAY_PAGE)
    }
    const status = reaction instanceof ApiError ? reaction.code : 200
    callLog.note(call, { status, body: toEnvelope(reaction) })
    if (reaction instanceof ApiError) log(`${call.method}: ${status} ${reaction.message}`)
    return write(reply, reaction)
  }

  async function react(call: RecordedCall, params: Params): Promise<Reaction> {
    const met = faults.meet(call.method, call.params)
    try {
      if (met === undefined) return await carryOut(call, params)
      callLog.note(call, { fault: met.fault.kind })
      return await misbehave(met, call, params)
    } catch (error) {
      if (house.closing.aborted) return 'cut'
      log(`${call.method}: ${error instanceof Error ? error.stack : String(error)}`)
      return refusal(500, 'Internal Server Error')
    }
  }

  async function misbehave(
    met: ActiveFault,
    call: RecordedCall,
    params: Params,
  ): Promise<Reaction> {
    const { fault, released } = met
    switch (fault.kind) {
      case 'dropBefore':
        return 'cut'
      case 'dropAfter': {
        const outcome = await carryOut(call, params)
        callLog.note(call, { body: toEnvelope(outcome) })
        return 'cut'
      }
      case 'hold':
        await orClosing(released.promise)
        return carryOut(call, params)
      case 'holdAfter': {
        const outcome = await carryOut(call, params)
        callLog.note(call, { body: toEnvelope(outcome) })
        await orClosing(released.promise)
        return outcome
      }
      case 'slow':
        await house.clock.sleep(fault.delayMs, house.closing)
        return carryOut(call, params)
      case 'html':
        return 'page'
      case 'noRich':
        if (isRichMethod(call.method)) return refusal(404, 'method not found')
        return carryOut(call, without(params, 'rich_message'))
      default:
        return toRefusal(fault) ?? carryOut(call, params)
    }
  }

  async function carryOut(call: RecordedCall, params: Params): Promise<Answer | ApiError> {
    const method = findMethod(call.method)
    if (method === undefined) return refusal(404, 'method not found')
    const hold = async (delayMs: number) => {
      callLog.note(call, { heldMs: call.heldMs + delayMs })
      await house.clock.sleep(delayMs, house.closing)
    }
    try {
      return await method({ params, hold }, house)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  async function orClosing(promise: Promise<void>): Promise<void> {
    const { closing } = house
    const ended = Promise.withResolvers<never>()
    const end = () => ended.reject(closing.reason)
    closing.addEventListener('abort', end, { once: true })
    if (closing.aborted) end()
    await Promise.race([promise, ended.promise]).finally(() =>
      closing.removeEventListener('abort', end),
    )
  }
}

function write(reply: FastifyReply, reaction: Answer | ApiError) {
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
