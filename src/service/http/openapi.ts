/** The OpenAPI document of the API: paths from `openapi.json`, schemas from `contract/`, which also check the requests. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { type TObject, Type } from 'typebox'
import * as chat from '../../contract/chat.ts'
import * as money from '../../contract/money.ts'
import * as openai from '../../contract/openai.ts'
import * as tasks from '../../contract/tasks.ts'
import { builtDir } from '../../platform/installation.ts'
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

/** Swagger UI's own files, without the package that calls home when it is installed. */
const ASSETS = builtDir('swagger-ui')
const ASSET_NAMES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js'])

/** Its addresses are relative: it works below any prefix that a proxy takes away. */
const PAGE = readText(join(import.meta.dirname, 'docs.html'))
const [, SCRIPT = ''] = /<script>([^<]+)</.exec(PAGE) ?? []

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  // Swagger UI sets style attributes on what it draws.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /openapi.json`, and `GET /docs`, a page that shows it. Both are open to everyone. */
export function docsRoute(isOffered: (path: string) => boolean): FastifyPluginAsync {
  return async (app) => {
    const document = readDocument()
    app.get('/openapi.json', async () => {
      const paths = Object.entries(document.paths).filter(([path]) => isOffered(path))
      return { ...document, paths: Object.fromEntries(paths) }
    })
    app.get('/docs', async (_request, reply) =>
      reply
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .type('text/html; charset=utf-8')
        .send(PAGE),
    )
    await app.register(fastifyStatic, {
      root: ASSETS,
      prefix: '/docs/',
      decorateReply: false,
      index: false,
      maxAge: '1h',
      allowedPath: (path) => ASSET_NAMES.has(path),
    })
  }
}
