import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'

const ajv = new Ajv({ strict: false })

/**
 * Makes a type guard of a schema, for JSON that comes from outside or from an older run.
 *
 * The checker of requests serves here too: typebox's own would be 6 MB more of every process.
 */
export function createGuard<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => value is Static<Schema> {
  let validate: ValidateFunction<Static<Schema>> | undefined
  return (value): value is Static<Schema> => {
    validate ??= ajv.compile<Static<Schema>>(schema)
    return validate(value)
  }
}
