import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import { PageRefusal } from '../../platform/http/page.ts'

const NUMBERS_MAX = 1_000

/** Reads the fields of a body one by one. @throws {PageRefusal} 422 for what is missing or makes no sense. */
export function readFields(body: unknown) {
  if (!isJsonObject(body)) throw new PageRefusal(422, 'A JSON object is expected')
  const fields: JsonObject = body
  return { fields, number, text, flag, numbers, ifGiven }

  function number(name: string): number {
    const value = fields[name]
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw expected(name, 'a number')
    return value
  }

  function text(name: string): string {
    const value = fields[name]
    if (typeof value !== 'string') throw expected(name, 'a text')
    return value
  }

  function flag(name: string): boolean {
    const value = fields[name]
    if (typeof value !== 'boolean') throw expected(name, 'true or false')
    return value
  }

  function numbers(name: string): number[] {
    const value = fields[name]
    const isList = Array.isArray(value) && value.every((one) => Number.isSafeInteger(one))
    if (!isList || value.length === 0) throw expected(name, 'a list of numbers')
    if (value.length > NUMBERS_MAX) throw expected(name, `a list of up to ${NUMBERS_MAX}`)
    return [...new Set(value as number[])]
  }

  function ifGiven<T>(read: (name: string) => T, name: string): T | undefined {
    return fields[name] === undefined ? undefined : read(name)
  }
}

export type Fields = ReturnType<typeof readFields>

export function readId(given: string | undefined, what = 'The id'): number {
  const id = Number(given)
  if (given === '' || given === undefined || !Number.isSafeInteger(id)) {
    throw new PageRefusal(422, `${what} is no number`)
  }
  return id
}

function expected(name: string, what: string): PageRefusal {
  return new PageRefusal(422, `${name} is missing, or is not ${what}`)
}
