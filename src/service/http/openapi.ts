import type { FastifyInstance, RouteOptions } from 'fastify'
import { Balance } from '../../contract/balance.ts'
import { CallbackNotification, CallbackSecret } from '../../contract/callback.ts'
import {
  ChatChunk,
  ChatMessage,
  ChatRequest,
  ChatResponse,
  ChatStreamError,
  ChatUsage,
} from '../../contract/chat.ts'
import { ErrorBody, FieldErrorBody, FieldProblem } from '../../contract/errors.ts'
import { ChatModels } from '../../contract/models.ts'
import { Task, TaskCreated } from '../../contract/task.ts'
import {
  findOperationText,
  type OperationText,
  REFUSALS,
  type Refused,
} from './openapi-operations.ts'
import {
  OPENAPI_CALLBACKS,
  OPENAPI_HEADERS,
  OPENAPI_PARAMETERS,
  OPENAPI_SECURITY,
} from './openapi-parts.ts'

/** An OpenAPI 3.1 document, as JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

const SCHEMAS = {
  Balance,
  CallbackNotification,
  CallbackSecret,
  ChatChunk,
  ChatMessage,
  ChatModels,
  ChatRequest,
  ChatResponse,
  ChatStreamError,
  ChatUsage,
  ErrorBody,
  FieldErrorBody,
  FieldProblem,
  Task,
  TaskCreated,
}

const EVERYWHERE: readonly Refused[] = [401, 500, 503]
const WITH_A_BODY: readonly Refused[] = [400, 413, 415, 422]

/** The document of an API in the making. */
export interface OpenApi {
  /** Describes the routes that are registered in `app` from now on. */
  gather(app: FastifyInstance): void
  /** @param serverPath What stands before each path, as `/api/v1`. */
  write(serverPath: string): OpenApiDocument
}

/**
 * Makes the document out of the routes as they are registered.
 *
 * What is validated is what is documented: the schemas are those of the routes. What schemas cannot
 * say is in `openapi-operations.ts`; a route that is missing there cannot be registered.
 */
export function createOpenApi(): OpenApi {
  const schemas = new Map<object, string>(
    Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]),
  )
  const operations: { path: string; method: string; operation: () => object }[] = []
  return { gather, write }

  function gather(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      const path = route.url.slice(app.prefix.length)
      for (const method of [route.method].flat()) {
        // Fastify adds it to every GET.
        if (method === 'HEAD') continue
        const text = findOperationText(`${method} ${path}`)
        const body = route.schema?.body
        if (isObject(body) && !schemas.has(body)) schemas.set(body, toSchemaName(path))
        operations.push({
          path: path.replace(/:(\w+)/g, '{$1}'),
          method: method.toLowerCase(),
          operation: () => toOperation(route, text, schemas),
        })
      }
    })
  }

  function write(serverPath: string): OpenApiDocument {
    const paths: Record<string, Record<string, object>> = {}
    for (const { path, method, operation } of operations) {
      paths[path] = { ...paths[path], [method]: operation() }
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Kopeck: generation and chat',
        version: '1',
        description: 'Text models, images, videos and sounds, paid in roubles from a balance.',
      },
      servers: [{ url: serverPath }],
      security: [{ apiKey: [] }],
      tags: [{ name: 'chat' }, { name: 'generation' }, { name: 'account' }],
      paths,
      components: {
        securitySchemes: OPENAPI_SECURITY,
        headers: OPENAPI_HEADERS,
        parameters: OPENAPI_PARAMETERS,
        schemas: Object.fromEntries(
          [...schemas].map(([schema, name]) => [name, withRefs(schema, schemas, schema)]),
        ),
      },
    }
  }
}

type Schemas = ReadonlyMap<object, string>

function toOperation(route: RouteOptions, text: OperationText, schemas: Schemas): object {
  const { body, response } = route.schema ?? {}
  const parameters = [...(text.params ?? []), ...(text.headers ?? [])].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }))
  const refused = [
    ...EVERYWHERE,
    ...(body === undefined ? [] : WITH_A_BODY),
    ...(text.refusals ?? []),
  ]
  return {
    tags: [text.tag],
    summary: text.summary,
    ...(text.description !== undefined && { description: text.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: toJson(body, text.requestExample, schemas) },
    }),
    ...(text.tellsEnd && { callbacks: OPENAPI_CALLBACKS }),
    responses: {
      200: toAnswer(text, (response as { 200?: unknown } | undefined)?.[200], schemas),
      ...Object.fromEntries(refused.map((status) => [status, toRefusal(status, route)])),
    },
  }
}

function toAnswer(text: OperationText, schema: unknown, schemas: Schemas): object {
  const { answerHeader, eventExample } = text
  return {
    description: 'Done.',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(answerHeader !== undefined && {
        [answerHeader.name]: { $ref: `#/components/headers/${answerHeader.component}` },
      }),
    },
    content: {
      ...toJson(schema, text.answerExample, schemas),
      ...(eventExample !== undefined && {
        'text/event-stream': { schema: { type: 'string' }, example: eventExample },
      }),
    },
  }
}

function toRefusal(status: Refused, { config }: RouteOptions): object {
  const { description, detail } = REFUSALS[status]
  const isList = status === 422 && config?.problemsAs !== 'text'
  const example = isList ? [{ loc: ['body', 'prompt'], msg: 'is required' }] : detail
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 429 && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${isList ? 'FieldErrorBody' : 'ErrorBody'}` },
        example: { detail: example },
      },
    },
  }
}

function toJson(schema: unknown, example: object | undefined, schemas: Schemas): object {
  return { 'application/json': { schema: withRefs(schema, schemas), example } }
}

/** Copies a schema, with a reference in place of each part that has a name. */
function withRefs(schema: unknown, schemas: Schemas, self?: object): unknown {
  if (!isObject(schema)) return schema
  const name = schema === self ? undefined : schemas.get(schema)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((part) => withRefs(part, schemas))
  return Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [key, withRefs(part, schemas)]),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** `/videos/vidgen-generate` has a `VidgenGenerateRequest`. */
function toSchemaName(path: string): string {
  const words = path.split('/').at(-1)?.split('-') ?? []
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Request`
}
