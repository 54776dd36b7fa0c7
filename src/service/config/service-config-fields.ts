import { Type } from 'typebox'
import { parseRub } from '../../contract/money.ts'

// A description says what a value should be; a problem is its path and that.

export const text = (description: string) => Type.String({ minLength: 1, description })

export const HTTP_URL = 'an http or https URL'
export const MODEL_NAME = "the model's name at the provider"

/** `http-url` is a format of `createCheck()`. */
export const httpUrl = Type.String({ format: 'http-url', description: HTTP_URL })

/** A key is never in the file. */
export const keyName = text('the name of an environment variable')

export const modelName = text(MODEL_NAME)

export const roubles = Type.String({
  pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  description: 'a decimal number of roubles written as a string, at most 6 places',
})

/** @param rub Fits `roubles`. */
export function toMicroRub(rub: string): bigint {
  const microRub = parseRub(rub)
  if (microRub === undefined) throw new TypeError('Cannot read a price: not a decimal')
  return microRub
}
