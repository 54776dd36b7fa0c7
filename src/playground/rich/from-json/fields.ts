import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { badRequest } from '../../wire/envelope.ts'

/** The fields of one JSON object, each read by its type. */
export interface Fields {
  value: JsonObject
  /** Reads a field that has to be there. */
  any(name: string): unknown
  text(name: string): string
  /** Empty if it is missing. */
  optionalText(name: string): string
  integer(name: string): number
  number(name: string): number
  list(name: string): unknown[]
  isTrue(name: string): boolean
  has(name: string): boolean
  complain(why: string): Error
}

/**
 * Opens the fields of a value.
 *
 * @param type As the Bot API names it; every refusal begins with it.
 * @throws {ApiError} For no object; each field, for a value of another type.
 */
export function openFields(value: unknown, type: string): Fields {
  if (!isJsonObject(value)) throw complain('expected an Object')
  const fields = value
  return {
    value,
    any,
    text,
    optionalText: (name) => (has(name) ? text(name) : ''),
    integer,
    number,
    list,
    isTrue: (name) => fields[name] === true,
    has,
    complain,
  }

  function complain(why: string) {
    return badRequest(`can't parse ${type}: ${why}`)
  }

  function has(name: string): boolean {
    return fields[name] !== undefined && fields[name] !== null
  }

  function any(name: string): unknown {
    if (!has(name)) throw complain(`Can't find field "${name}"`)
    return fields[name]
  }

  function text(name: string): string {
    const found = any(name)
    if (typeof found !== 'string') throw complain(`Field "${name}" must be of type String`)
    if (!found.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
    return found
  }

  /** Telegram takes numbers in quotes, too. */
  function number(name: string): number {
    const found = any(name)
    const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
    if (typeof parsed !== 'number' || !Number.isFinite(parsed)) {
      throw complain(`Field "${name}" must be a valid Number`)
    }
    return parsed
  }

  function integer(name: string): number {
    const found = number(name)
    if (!Number.isSafeInteger(found)) throw complain(`Field "${name}" must be a valid Number`)
    return found
  }

  function list(name: string): unknown[] {
    const found = any(name)
    if (!Array.isArray(found)) throw complain(`Field "${name}" must be of type Array`)
    return found
  }
}
