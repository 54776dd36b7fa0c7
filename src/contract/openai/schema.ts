import { type Static, type TSchema, Type } from 'typebox'

/** `null` is as omitted. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** One of several objects, chosen by one field: a value of it that none has is refused by name. */
export function oneBy<Schemas extends TSchema[]>(propertyName: string, oneOf: [...Schemas]) {
  return Type.Unsafe<Static<Schemas[number]>>({
    type: 'object',
    discriminator: { propertyName },
    oneOf,
    required: [propertyName],
  })
}
