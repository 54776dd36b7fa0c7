import type { FastifySchemaValidationError } from 'fastify'
import type { FieldProblem } from '../../contract/errors.ts'

/** More are not told: a list of a million messages can be wrong a million times. */
const PROBLEMS_MAX = 50

/**
 * Says which fields a validator refused, in words.
 *
 * @param context Where the fields stand: `body`, `params`, `querystring` or `headers`.
 */
export function toFieldProblems(
  validation: readonly FastifySchemaValidationError[],
  context: string,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const seen = new Set<string>()
  for (const error of validation) {
    // A field that may be null is wrong for what it should be, not for not being null.
    if (error.keyword === 'anyOf' || error.params.type === 'null') continue
    const loc = [context, ...toPath(error)]
    const key = JSON.stringify(loc)
    if (seen.has(key)) continue
    seen.add(key)
    problems.push({ loc, msg: describe(error) })
    if (problems.length === PROBLEMS_MAX) break
  }
  return problems
}

/** One sentence that names each field: `messages[0].content: must not be empty`. */
export function toDetail(problems: readonly FieldProblem[]): string {
  return problems
    .map(({ loc, msg }) => {
      const [context, ...path] = loc
      const field = formatPath(path)
      return `${field === '' ? context : field}: ${msg}`
    })
    .join('; ')
}

/** Writes a path as it is written in code: `messages[0].content`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')
}

/** The path of the refused field, outermost name first. */
export function toPath({
  instancePath,
  keyword,
  params,
}: Pick<FastifySchemaValidationError, 'instancePath' | 'keyword' | 'params'>): (string | number)[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  return keyword === 'required' ? [...path, String(params.missingProperty)] : path
}

function describe({ keyword, params, message }: FastifySchemaValidationError): string {
  const limit = Number(params.limit)
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${withArticle(String(params.type))}`
    case 'enum':
      return `must be ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(' or ')}`
    case 'minLength':
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must not be shorter than ${limit}`
    case 'maxLength':
    case 'maxItems':
      return `must not be longer than ${limit}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    default:
      return message ?? 'is not valid'
  }
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}
