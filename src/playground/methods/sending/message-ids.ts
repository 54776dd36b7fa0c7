import { badRequest } from '../../wire/envelope.ts'
import { jsonOf, type Params, textOf } from '../../wire/params.ts'

const IDS_MAX = 100

/** Reads `message_ids`: 1 to 100 numbers above zero. */
export function readMessageIds(params: Params): number[] {
  const missing = badRequest('message identifiers are not specified')
  if (textOf(params, 'message_ids') === '') throw missing
  const value = jsonOf(params, 'message_ids', "can't parse message_ids JSON object")
  if (!Array.isArray(value)) throw badRequest('expected an Array of message identifiers')
  if (value.length > IDS_MAX) throw badRequest('too many message identifiers specified')
  if (value.length === 0) throw missing
  return value.map(readId)
}

function readId(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw badRequest('message identifier must be a Number')
  }
  const id = Number(value)
  if (!Number.isInteger(id)) throw badRequest("can't parse message identifier as Number")
  if (id <= 0) throw badRequest('invalid message identifier specified')
  return id
}
