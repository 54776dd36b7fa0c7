import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { parseRub } from '../../contract/money.ts'

// A description says what a value should be; a problem is its path and that.

export const text = (description: string) => Type.String({ minLength: 1, description })

export const matching = (pattern: string, description: string) =>
  Type.String({ pattern, description })

export const whole = (minimum: number, maximum: number, unit = '') =>
  Type.Integer({
    minimum,
    maximum,
    description: `a whole number ${unit}from ${minimum} to ${maximum}`,
  })

export const oneOf = <const Name extends string>(
  names: readonly Name[],
  description = names.join(', '),
) => Type.Unsafe<Name>({ enum: names, description })

export const record = <Fields extends TProperties>(fields: Fields, description: string) =>
  Type.Object(fields, { additionalProperties: false, description })

export const partial = <Fields extends TProperties>(fields: Fields, description: string) =>
  Type.Partial(Type.Object(fields), { additionalProperties: false, description })

export const list = <Part extends TSchema>(part: Part, description: string, maxItems?: number) =>
  Type.Array(part, { minItems: 1, ...(maxItems !== undefined && { maxItems }), description })

export const httpUrl = Type.String({ format: 'http-url', description: 'an http or https URL' })

/** Fit for a header. A key that was read from a file easily has the end of its line, too. */
export const ONE_LINE = /^[\t -~]*$/
export const ONE_LINE_WORDS = 'a text of ASCII characters in one line'

/** The keys that the file names, by the names of the variables that hold them. They are never logged. */
export type Keys = ReadonlyMap<string, string>

/** A key is never in the file. Names of variables stand in fields that end in `_env`. */
export const keyName = text('the name of an environment variable')

export const modelName = text("the model's name at the provider")

export const roubles = matching(
  '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  'a decimal number of roubles written as a string, at most 6 places',
)

/** @param rub Fits `roubles`. */
export function toMicroRub(rub: string): bigint {
  const microRub = parseRub(rub)
  if (microRub === undefined) throw new TypeError('Cannot read a price: not a decimal')
  return microRub
}

type ProviderOf<Types extends Record<string, TProperties>> = {
  [Name in keyof Types]: { type: Name } & Static<TObject<Types[Name]>>
}[keyof Types]

/** An object of the shape that its `type` names. Problems are those of that type alone. */
export function providerOf<Types extends Record<string, TProperties>>(types: Types) {
  const known = Object.keys(types).join(', ')
  return Type.Unsafe<ProviderOf<Types>>({
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', description: `a known provider type: ${known}` } },
    discriminator: { propertyName: 'type' },
    oneOf: Object.entries(types).map(([name, fields]) =>
      Type.Object({ type: Type.Literal(name), ...fields }, { additionalProperties: false }),
    ),
    description: 'an object with the type of the provider',
  })
}
