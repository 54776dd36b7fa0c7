import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { type TObject, Type } from 'typebox'
import * as chat from '../../contract/chat.ts'
import * as money from '../../contract/money.ts'
import * as openai from '../../contract/openai.ts'
import * as tasks from '../../contract/tasks.ts'

const SCHEMAS = [chat, money, openai, tasks]
  .flatMap((file) => Object.entries<unknown>(file))
  .filter((entry): entry is [string, TObject] => Type.IsObject(entry[1]))
const NAMES = new Map<unknown, string>(SCHEMAS.map(([name, schema]) => [schema, name]))

const TAGS = [
  { name: 'chat', description: 'Answers of text models, priced per token.' },
  { name: 'openai', description: 'The same chats for clients that are made for OpenAI.' },
  { name: 'generation', description: 'Videos, images and sounds: tasks with a fixed price.' },
  { name: 'account', description: 'The balance, the API key, and the secret of callbacks.' },
]

const TASK_ENDED = {
  taskEnded: {
    '{$request.header.X-Callback-Url}': {
      post: {
        operationId: 'receiveTaskEnd',
        tags: ['generation'],
        summary: 'Tell that a task has ended',
        description:
          'Up to three attempts: at once, after 5 s and after 15 s. The signature is the hex of HMAC-SHA256 ' +
          'with the secret of `GET /callback/secret` over the timestamp, a dot and the bytes of the body.',
        security: [],
        parameters: [
          {
            name: 'X-Callback-Timestamp',
            in: 'header',
            required: true,
            schema: { type: 'string', pattern: '^[0-9]+$' },
          },
          {
            name: 'X-Callback-Signature',
            in: 'header',
            required: true,
            schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/CallbackNotification' } },
          },
        },
        responses: {
          '2XX': { description: 'It has arrived.' },
          '4XX': { description: 'It has not: the next attempt follows, if one is left.' },
        },
      },
    },
  },
}

/** The callbacks of a route that has them. */
export const TASK_END_CALLBACK = { taskEnded: { $ref: '#/components/callbacks/taskEnded' } }

/**
 * Gathers the routes that are registered in `app` from now on; `app.swagger()` then gives their OpenAPI
 * document. What is validated is what is documented: the schemas are those of the routes.
 */
export async function gatherOpenApi(app: FastifyInstance, serverPath: string): Promise<void> {
  for (const [name, schema] of SCHEMAS) {
    app.addSchema({ ...withReferences(schema, schema), $id: name })
  }
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kopeck: generation and chat',
        version: '1',
        description: 'Text models, images, videos and sounds, paid in roubles from a balance.',
      },
      servers: [{ url: serverPath }],
      security: [{ apiKey: [] }],
      tags: TAGS,
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of an account.' },
        },
      },
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transform: ({ schema, url }) => ({ schema: withReferences(schema), url }),
    transformObject(document) {
      if (!('openapiObject' in document)) return {}
      const { openapiObject } = document
      // The plugin keeps no more of a callback than its body and its answers.
      for (const item of Object.values(openapiObject.paths ?? {})) {
        if (item?.post?.callbacks !== undefined) item.post.callbacks = TASK_END_CALLBACK
      }
      Object.assign(openapiObject.components ?? {}, { callbacks: TASK_ENDED })
      return openapiObject
    },
  })
}

/** The document without the paths that are not there just now. */
export function leaveOutPaths<Document extends { paths?: object }>(
  document: Document,
  isThere: (path: string) => boolean,
): Document {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => isThere(path))
  return { ...document, paths: Object.fromEntries(paths) }
}

/**
 * Copies a schema, with a reference instead of each part that has a name. What only has the check name a problem
 * is left out: `discriminator`, for which a document would want a name for each schema, and one schema as a choice.
 */
function withReferences<T>(schema: T, self?: unknown): T {
  if (typeof schema !== 'object' || schema === null) return schema
  const name = schema === self ? undefined : NAMES.get(schema)
  if (name !== undefined) return { $ref: `${name}#` } as T
  if (Array.isArray(schema)) return schema.map((part) => withReferences(part)) as T
  if ('oneOf' in schema && Array.isArray(schema.oneOf) && schema.oneOf.length === 1) {
    return withReferences(schema.oneOf[0])
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'discriminator')
      .map(([key, part]) => [key, withReferences(part)]),
  ) as T
}
