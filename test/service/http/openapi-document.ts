import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TestService } from '../service-fixture.ts'

/** The parts of an OpenAPI document that tests look at. */
export interface OpenApi {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { examples?: unknown[] }>
    responses: Record<string, OpenApiAnswer>
    callbacks: Record<string, Record<string, { post: Pick<Operation, 'parameters'> }>>
  }
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string; in: string; description?: string }[]
  callbacks?: Record<string, { $ref: string }>
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, OpenApiAnswer | { $ref: string }>
}

interface OpenApiAnswer {
  headers: Record<string, unknown>
  content: Record<string, Media>
}

interface Media {
  schema: { $ref?: string; contentSchema?: { anyOf: { $ref: string }[] } }
  example?: unknown
}

/** Reads the document as everyone may: without a key. */
export async function readOpenApi({ origin }: Pick<TestService, 'origin'>): Promise<OpenApi> {
  return (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as OpenApi
}

/** Finds what the document says about an answer of an operation. */
export function findAnswer(
  { components }: OpenApi,
  { responses }: Operation,
  status: number | string,
) {
  const answer = responses[status]
  if (answer === undefined || !('$ref' in answer)) return answer
  return components.responses[answer.$ref.replace('#/components/responses/', '')]
}

/** Finds the faults of a value by a schema of the document. */
export function findFaults({ components }: OpenApi, schema: object, value: unknown) {
  const validate = new Ajv2020({ strict: false }).compile({ ...schema, components })
  return validate(value) ? [] : validate.errors
}

/** Finds the faults of an answer by the document. Reads its body. */
export async function findAnswerFaults(
  document: OpenApi,
  { method, path }: { method: string; path: string },
  answer: Response,
): Promise<unknown> {
  const operation = document.paths[path]?.[method.toLowerCase()]
  const documented = operation && findAnswer(document, operation, answer.status)
  if (documented === undefined) return `${method} ${path} has no ${answer.status}`
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const media = documented.content[type]
  if (media === undefined) return `${method} ${path} ${answer.status} is not ${type}`
  for (const name of Object.keys(documented.headers)) {
    if (!answer.headers.has(name)) return `${method} ${path} ${answer.status} lacks ${name}`
  }
  const body = await answer.text()
  return findFaults(document, media.schema, type === 'application/json' ? JSON.parse(body) : body)
}
