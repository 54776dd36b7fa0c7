import { type JsonObject, parseJson } from '../../platform/http/json.ts'
import { badRequest } from './envelope.ts'

export interface Upload {
  fileName: string
  /** The type that the part gives; empty if it gives none. */
  mime: string
  /** A view of the body, not a copy. */
  bytes: Buffer
}

/** The parameters of one call, the same from every kind of body: each value is text, as Telegram keeps it. */
export interface Params {
  texts: ReadonlyMap<string, string>
  uploads: ReadonlyMap<string, Upload>
}

export const NO_PARAMS: Params = { texts: new Map(), uploads: new Map() }

/** The parameters as a server reads them that does not know one of them. */
export function without(params: Params, name: string): Params {
  return { ...params, texts: new Map([...params.texts].filter(([known]) => known !== name)) }
}

/** Missing is empty. */
export function textOf(params: Params, name: string): string {
  return params.texts.get(name) ?? ''
}

/** Anything but `true`, `yes` and `1` is false, never an error. */
export function boolOf(params: Params, name: string): boolean {
  return ['true', 'yes', '1'].includes(textOf(params, name).trim().toLowerCase())
}

/** Reads a leading integer; rubbish is 0 and out of range is clamped, never an error. */
export function intOf(
  params: Params,
  name: string,
  range: { min: number; max: number; missing?: number },
): number {
  const text = textOf(params, name)
  if (text === '' && range.missing !== undefined) return range.missing
  const parsed = Number.parseInt(text, 10)
  return Math.min(range.max, Math.max(range.min, Number.isNaN(parsed) ? 0 : parsed))
}

/** Ids of messages and topics: 0 means missing or negative. */
export function idOf(params: Params, name: string): number {
  return intOf(params, name, { min: 0, max: Number.MAX_SAFE_INTEGER })
}

/**
 * Reads a parameter that holds JSON.
 *
 * @param complaint The refusal for text that is no JSON.
 * @returns `undefined` if the parameter is missing or empty.
 */
export function jsonOf(params: Params, name: string, complaint: string): unknown {
  const text = textOf(params, name)
  if (text === '') return undefined
  const value = parseJson(text)
  if (value === undefined) throw badRequest(complaint)
  return value
}

/** The fields of an object as parameters: strings as they are, any other value as its JSON text. */
export function toTexts(object: JsonObject): Map<string, string> {
  const texts = Object.entries(object).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return new Map(texts)
}
