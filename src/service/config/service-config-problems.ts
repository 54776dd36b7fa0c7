import { Ajv, type ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'
import { formatPath, toPath } from '../http/field-problems.ts'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Makes a check of one part of the file.
 *
 * @param schema Each of its parts has a description that says what it should be; a problem is its path and that.
 * @returns What is wrong with a value, each problem once.
 */
export function createCheck(schema: TSchema): (value: unknown) => string[] {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, discriminator: true })
  ajv.addFormat('http-url', isHttpUrl)
  const validate = ajv.compile(schema)
  return (value) => {
    if (validate(value)) return []
    return [...new Set((validate.errors ?? []).map((error) => describeProblem(error)))]
  }
}

/** Says what is wrong with the name of a variable that should hold a key. */
export function findKeyProblems(name: unknown, path: string, env: Env): string[] {
  // Values of a wrong type are the schema's to report.
  if (typeof name !== 'string' || env[name]) return []
  return [`${path}: the name of an environment variable that is set`]
}

function describeProblem(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  const path = toPath(error)
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ')
    return `${formatPath([...path, params.additionalProperty])}: no known name, known are ${known}`
  }
  if (keyword === 'discriminator') {
    return `${formatPath([...path, params.tag])}: ${parentSchema?.properties?.[params.tag].description}`
  }
  const schema =
    keyword === 'required' ? parentSchema?.properties?.[params.missingProperty] : parentSchema
  return `${formatPath(path) || 'the file'}: ${schema?.description}`
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
}
