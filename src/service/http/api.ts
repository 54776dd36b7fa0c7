/**
 * The HTTP interface of the service: everything under `/api/v1`, and the stored results under `/files`.
 *
 * Invariant: a request is refused in this order: an unknown path (404), its key (401), its body's size and type (413,
 * 415), the memory of bodies (429, 503), its shape and its fields (422), and then by its route.
 */
import type { IncomingMessage } from 'node:http'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { foldRepeats } from '../../platform/fold-repeats.ts'
import { KINDS } from '../generation/endpoints.ts'
import { accountRoutes } from './account.ts'
import { Bodies } from './bodies.ts'
import { chatRoutes } from './chat-endpoints.ts'
import type { HttpContext } from './context.ts'
import { filesRoute } from './files.ts'
import { openApiRoute } from './openapi.ts'
import { answerRefusal, NO_PATH_BODY, Refusal } from './refusals.ts'
import { authenticate, proveKeyOfFailed, watchRequests } from './requests.ts'
import { taskRoutes } from './tasks.ts'

const API_PREFIX = '/api/v1'

/** The bound of every body but a chat's: a prompt of 5,000 characters, each escaped, takes 60 kB. */
const BODY_BYTES_MAX = 128 * 1024

const CREATIONS: ReadonlySet<string> = new Set(KINDS.map(({ path }) => path))

/** Creates the plugin that answers all requests to the service. A request passes two hooks of it, three with CORS. */
export function createHttp(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const bodies = new Bodies()
    app.decorateRequest('account')
    app.decorateRequest('answeredBy', undefined)
    app.decorateRequest('answering', undefined)
    app.decorateRequest('client', undefined)
    app.decorateRequest('bodyBytes', 0)
    app.addHook('onRequest', watchRequests(bodies, context.metrics))
    await app.register(filesRoute(context.mediaDir))
    await app.register((api) => addApi(api, context, bodies), { prefix: API_PREFIX })
  }
}

type App = Parameters<FastifyPluginAsync>[0]

async function addApi(app: App, context: HttpContext, bodies: Bodies): Promise<void> {
  const { keys, corsOrigins = new Set() } = context
  const troubles = foldRepeats(app.log)
  app.setErrorHandler(async (failure: Error, request, reply) => {
    const error = await proveKeyOfFailed(failure, request, keys)
    return answerRefusal(error, { request, reply, troubles })
  })
  // Before authentication: a preflight has no key. An origin that is not listed gets no header and, for a preflight, 404.
  if (corsOrigins.size > 0) await app.register(cors, toCorsOptions(corsOrigins))
  // `__proto__` is a field like any other unknown one: nothing here copies fields by name.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    (request: FastifyRequest, payload: IncomingMessage) => bodies.read(request, payload),
  )
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_BYTES_MAX
  })
  await app.register(async (open) => {
    // A body that no path would read stays unread.
    open.addHook('onRequest', (request, reply, done) => {
      if (request.is404) refusePath(request, reply)
      else done()
    })
    open.setNotFoundHandler(refusePath)
    await open.register(openApiRoute)
  })
  await app.register(async (known) => {
    known.addHook('onRequest', (request, _reply, done) => {
      const path = request.routeOptions.url?.slice(API_PREFIX.length + 1) ?? ''
      const isOffered = !CREATIONS.has(path) || context.offers.findOffered(path) !== undefined
      if (isOffered) authenticate(request, keys, done)
      else done(new Refusal('no_path'))
    })
    await known.register(chatRoutes(context))
    await known.register(accountRoutes(context))
    await known.register(taskRoutes(context))
  })
}

function refusePath(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send(NO_PATH_BODY)
}

function toCorsOptions(origins: ReadonlySet<string>): FastifyCorsOptions {
  return {
    origin: origins.has('*')
      ? '*'
      : (origin, done) => done(null, origin !== undefined && origins.has(origin) && origin),
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'x-ratelimit-limit-requests',
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
      'accept-idempotency-key',
    ],
    // Two hours: Chromium keeps no answer to a preflight for longer.
    maxAge: 7_200,
  }
}
