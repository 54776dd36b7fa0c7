import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { foldRepeats } from '../../platform/fold-repeats.ts'
import { compileSchema } from '../../platform/guard.ts'
import { authenticate, proveKeyOfFailed, type RequestKeys } from './authenticate.ts'
import { createBodyBudget } from './bodies/body-budget.ts'
import { createBodyReader } from './bodies/read-json-body.ts'
import { CLIENT_GONE } from './client-gone.ts'
import { gatherOpenApi, leaveOutPaths } from './openapi.ts'
import { createErrorHandler, NO_SUCH_PATH, REFUSAL_FORMS, Refusal } from './refusals.ts'
import { docsRoute } from './routes/docs.ts'

const API_PREFIX = '/api/v1'

/** The bound of every body but a chat's: a prompt of 5,000 characters, each escaped, takes 60 kB. */
const BODY_BYTES_MAX = 128 * 1024

/** The paths that OpenAI's clients ask for, as far as no path of the interface document begins alike. */
const OPENAI_PATH =
  /^\/(assistants|audio|batches|chat|completions|conversations|embeddings|files|fine_tuning|images\/(edits|generations|variations)|models|moderations|realtime|responses|threads|uploads|vector_stores)([/?]|$)/

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

/** The 404 of each: the SDKs show nothing of an answer in another shape. */
const { body: NO_OPENAI_PATH } = REFUSAL_FORMS.openai({
  statusCode: 404,
  detail: 'There is no such path: chats are POST /chat/completions, and models GET /models.',
  openAiCode: 'unknown_url',
})

export interface ApiDeps {
  keys: RequestKeys
  corsOrigins?: ReadonlySet<string>
  isOffered?: (path: string) => boolean
  routes: readonly FastifyPluginAsync[]
}

/**
 * Everything under `/api/v1`. A request is refused in this order: an unknown path (404), its
 * key (401), its body's size and type (413, 415), the memory that bodies have (429, 503), its shape and its
 * fields (422), and then by its route.
 */
export function createApi({
  keys,
  corsOrigins = new Set(),
  isOffered = () => true,
  routes,
}: ApiDeps): FastifyPluginAsync {
  const budget = createBodyBudget()
  return async (root) => {
    await root.register(api, { prefix: API_PREFIX })
  }

  async function api(app: Parameters<FastifyPluginAsync>[0]): Promise<void> {
    app.setErrorHandler(createErrorHandler(foldRepeats(app.log)))
    // Before authentication: a preflight has no key. An origin that is not listed gets no header and, for a preflight, 404.
    if (corsOrigins.size > 0) await app.register(cors, toCorsOptions(corsOrigins))
    // The hooks here are for unknown paths, too, because they have a handler here.
    app.setNotFoundHandler(refusePath)
    app.addHook('onRequest', (request, reply, done) => {
      if (request.is404) refusePath(request, reply)
      else done()
    })
    // A list of a million messages can be wrong a million times: the first problem is enough.
    app.setValidatorCompiler(({ schema, httpPart }) =>
      // Headers are described; who needs one reads it.
      httpPart === 'headers' ? () => true : compileSchema(schema as object, { allErrors: false }),
    )
    // Answers are written field by field, so nothing is left to take out of them.
    app.setSerializerCompiler(() => JSON.stringify)
    // `__proto__` is a field like any other unknown one: nothing here copies fields by name.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', createBodyReader())
    app.addHook('onRoute', (route) => {
      route.bodyLimit ??= BODY_BYTES_MAX
    })
    let readDocument = () => ({})
    await app.register(docsRoute(() => readDocument()))
    await app.register(async (known) => {
      await gatherOpenApi(known, API_PREFIX)
      readDocument = () => leaveOutPaths(known.swagger(), isOffered)
      known.decorateRequest('account')
      known.decorateRequest('allowance')
      known.decorateRequest('answering', undefined)
      known.addHook('onRequest', async (request, reply) => {
        if (!isOffered(toPath(request))) throw new Refusal(404, NO_SUCH_PATH)
        await authenticate(request, keys)
        openAllowance(request, reply)
      })
      known.setErrorHandler(async (error: Error, request) => {
        await proveKeyOfFailed(error, request, keys)
        // To the handler above.
        throw error
      })
      for (const route of routes) await known.register(route)
    })
  }

  /** The messages of a chat stay in memory until its answer has ended, whether its client waits or not. */
  function openAllowance(request: FastifyRequest, { raw }: FastifyReply): void {
    const allowance = budget.open(request.account.id)
    request.allowance = allowance
    raw.once('close', () => {
      const status = raw.headersSent ? raw.statusCode : CLIENT_GONE
      const end = () => allowance.end({ isRefused: status >= 400 && status < 500 })
      if (request.answering === undefined) end()
      else request.answering.then(end, end)
    })
  }
}

function refusePath({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isOpenAi = OPENAI_PATH.test(url.slice(API_PREFIX.length))
  return reply.code(404).send(isOpenAi ? NO_OPENAI_PATH : { detail: NO_SUCH_PATH })
}

function toPath({ routeOptions: { url = '' } }: FastifyRequest): string {
  return url.slice(API_PREFIX.length)
}
