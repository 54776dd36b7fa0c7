import type { FastifySchemaValidationError } from 'fastify'
import type { FieldProblem } from '../contract/errors.ts'
import { formatPath, toPath } from '../guard.ts'

/** More are not named: a list of a million messages can be wrong a million times. */
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
