import type { ErrorObject } from 'ajv'
import { OPENAI_UNSUPPORTED } from '../../../contract/openai.ts'
import { toPath } from '../../../platform/guard.ts'
import { toFieldProblems } from '../../field-problems.ts'
import { Refusal } from '../refusals.ts'

const CODES: Readonly<Record<string, string>> = {
  required: 'missing_required_parameter',
  type: 'invalid_type',
  discriminator: 'unsupported_value',
}
const UNKNOWN = { msg: 'is not known here: leave it out', code: 'unknown_parameter' }
const UNSUPPORTED = { msg: 'is not supported: leave it out', code: 'unsupported_parameter' }
/** Each field may be null instead, so that a mismatch with null says nothing. */
const ALTERNATIVE_NULL = /\/anyOf\/1\/type$/

/**
 * Refuses a request by the name of the deepest problem: of several shapes that a field may have it belongs to the one
 * that was meant.
 */
export function refuseFirst(errors: readonly ErrorObject[]): Refusal {
  const [error] = errors
    .filter((each) => each.keyword !== 'anyOf' && !ALTERNATIVE_NULL.test(each.schemaPath))
    .sort((one, other) => toPath(other).length - toPath(one).length)
  if (error === undefined) return new Refusal(422, 'The request cannot be read.')
  const path = toPath(error)
  const name = String(path[0])
  if (OPENAI_UNSUPPORTED.includes(name)) return refuseField([name], UNSUPPORTED)
  if (mayOnlyBeNothing(error)) return refuseField(path, UNSUPPORTED)
  if (error.keyword === 'additionalProperties') {
    return refuseField(path, UNKNOWN)
  }
  const code = CODES[error.keyword] ?? 'invalid_value'
  return refuseField(path, { msg: describe(error), code })
}

/** Only an empty list, or null, is let in where something else would be a wish that is not fulfilled. */
function mayOnlyBeNothing({ keyword, params }: ErrorObject): boolean {
  return (keyword === 'maxItems' && params.limit === 0) || params.type === 'null'
}

function describe(error: ErrorObject): string {
  if (error.keyword !== 'discriminator') return toFieldProblems([error], 'body')[0]?.msg ?? ''
  const known: string[] = error.parentSchema?.oneOf.flatMap(
    ({ properties }: { properties: Record<string, { const?: string; enum?: string[] }> }) => {
      const tag = properties[error.params.tag]
      return tag?.enum ?? tag?.const ?? []
    },
  )
  return `must be ${known.map((value) => JSON.stringify(value)).join(' or ')}: nothing else is supported`
}

/** Refuses a field by its name. */
export function refuseField(
  path: readonly (string | number)[],
  { msg, code }: { msg: string; code: string },
): Refusal {
  return new Refusal(422, [{ loc: ['body', ...path], msg }], { openAiCode: code })
}
