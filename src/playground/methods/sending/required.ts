import { badRequest } from '../../wire/envelope.ts'
import { type Params, textOf } from '../../wire/params.ts'

/** @throws {ApiError} If it is missing or empty. */
export function requiredOf(params: Params, name: string): string {
  const text = textOf(params, name)
  if (text === '') throw badRequest(`Parameter "${name}" is required`)
  return text
}
