import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

/**
 * Compiles the schemas of `contract/` as they stand: nothing is converted, removed or filled in, and
 * lengths count Unicode code points.
 *
 * @param allErrors Whether to look for every problem. Only for routes with small bodies: a large one
 * can have millions.
 */
export function createValidatorCompiler({
  allErrors,
}: {
  allErrors: boolean
}): FastifySchemaCompiler<unknown> {
  const ajv = new Ajv({
    allErrors,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
  })
  return ({ schema }) => ajv.compile(schema as object)
}
