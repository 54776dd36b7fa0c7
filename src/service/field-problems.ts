import type { FastifySchemaValidationError } from 'fastify'
import type { FieldProblem } from '../contract/chat.ts'
import { toPath } from '../platform/guard.ts'
import { formatPath } from '../platform/http/json.ts'

/** Describes the fields that a validator refused, in words. @param context Such as `body`. */
export function toFieldProblems(
  validation: readonly FastifySchemaValidationError[],
  context: string,
): FieldProblem[] {
  const problems = validation
    // A field that may be null is wrong for what it should be, not for not being null.
    .filter(({ keyword, params }) => keyword !== 'anyOf' && params.type !== 'null')
    .map((error) => ({ loc: [context, ...toPath(error)], msg: describe(error) }))
  return dropRepeated(problems)
}

export function dropRepeated(problems: readonly FieldProblem[]): FieldProblem[] {
  const seen = new Set<string>()
  return problems.filter(({ loc }) => seen.size < seen.add(JSON.stringify(loc)).size)
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
