import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { formatPath } from './http/json.ts'

// Nothing is converted, removed or filled in, and lengths count Unicode code points. The schemas are
// the program's own, so they are not checked against a schema of schemas themselves.
const options = { strict: false, validateSchema: false, discriminator: true, verbose: true }
const stopping = new Ajv(options).addFormat('http-url', isHttpUrl)
const thorough = new Ajv({ ...options, allErrors: true }).addFormat('http-url', isHttpUrl)

/** Compiles a schema; Typebox's own checker takes 6 MB more. A large value can have millions of errors. */
export function compileSchema(
  schema: object,
  { allErrors }: { allErrors: boolean },
): ValidateFunction {
  return (allErrors ? thorough : stopping).compile(schema)
}

/** Makes a type guard of a schema. It is compiled when it is first called. */
export function createGuard<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => value is Static<Schema> {
  return (value): value is Static<Schema> => compileSchema(schema, { allErrors: false })(value)
}

/** Makes a check that names every problem by its path and the description of its part of the schema. */
export function createCheck(schema: TSchema): (value: unknown) => string[] {
  return (value) => {
    const validate = compileSchema(schema, { allErrors: true })
    if (validate(value)) return []
    return [...new Set((validate.errors ?? []).map(describeProblem))]
  }
}

export function toPath({
  instancePath,
  params,
}: Pick<ErrorObject, 'instancePath' | 'params'>): (string | number)[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  const name = params.missingProperty ?? params.additionalProperty ?? params.tag
  return name === undefined ? path : [...path, String(name)]
}

/** Checks whether a text is an http or https URL; a schema says so by `format: 'http-url'`. */
export function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function describeProblem(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  const field = formatPath(toPath(error))
  const properties = parentSchema?.properties ?? {}
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys(properties).join(', ')
      return `${field}: no known name, known are ${known}`
    }
    case 'discriminator':
      return `${field}: ${properties[params.tag]?.description}`
    case 'required':
      return `${field}: ${properties[params.missingProperty]?.description}`
    default:
      return `${field === '' ? '' : `${field}: `}${parentSchema?.description}`
  }
}
