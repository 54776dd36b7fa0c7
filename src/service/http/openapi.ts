/** The OpenAPI document of the API: paths from `openapi.json`, schemas from `contract/`, which also check the requests. */
import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import { type TObject, Type } from 'typebox'
import * as chat from '../../contract/chat.ts'
import * as money from '../../contract/money.ts'
import * as openai from '../../contract/openai.ts'
import * as tasks from '../../contract/tasks.ts'
import { readText } from '../../platform/read-text.ts'

const SCHEMAS = [chat, money, openai, tasks]
  .flatMap((file) => Object.entries<unknown>(file))
  .filter((entry): entry is [string, TObject] => Type.IsObject(entry[1]))
const NAMES = new Map<unknown, string>(SCHEMAS.map(([name, schema]) => [schema, name]))

interface OpenApi {
  paths: Record<string, object>
  /** The file has the examples of the schemas. */
  components: { schemas: Record<string, object> }
}

function readDocument(): OpenApi {
  const file: OpenApi = JSON.parse(readText(join(import.meta.dirname, 'openapi.json')))
  const { components, ...document } = file
  const schemas = SCHEMAS.map(([name, schema]) => {
    return [name, { ...withReferences(schema, schema), ...components.schemas[name] }]
  })
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } }
}

/** Copies a schema, with references to named parts, without `discriminator` and single choices: they only name problems. */
function withReferences<T>(schema: T, self?: unknown): T {
  if (typeof schema !== 'object' || schema === null) return schema
  const name = schema === self ? undefined : NAMES.get(schema)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` } as T
  if (Array.isArray(schema)) return schema.map((part) => withReferences(part)) as T
  if ('oneOf' in schema && Array.isArray(schema.oneOf) && schema.oneOf.length === 1) {
    return withReferences(schema.oneOf[0])
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'discriminator')
      .map(([key, part]) =>
        // Generators of clients know a map by this name.
        key === 'patternProperties'
          ? ['additionalProperties', withReferences(Object.values(part as object)[0])]
          : [key, withReferences(part)],
      ),
  ) as T
}

/** `GET /openapi.json`: open to everyone, and the same for the life of the process. */
export const openApiRoute: FastifyPluginAsync = async (app) => {
  const document = JSON.stringify(readDocument())
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(document))
}
