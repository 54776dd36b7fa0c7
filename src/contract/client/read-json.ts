import type { JsonObject } from '../../platform/http/json.ts'
import { fromWireRub, parseRub } from '../money.ts'

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,30})?$/

/** The first of the named fields that `read` understands. */
export function firstOf<T>(
  object: JsonObject,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? read(object[name]) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

/** A string with something in it. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number ≥ 0, also written as a string of digits. */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

/** Roubles as a number or as a decimal string, to the nearest micro-rouble. */
export function readRub(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? fromWireRub(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return parseRub(text) ?? (DECIMAL.test(text) ? fromWireRub(Number(text)) : undefined)
}

/** Roubles that can be a price or a cost: not below zero. */
export function readPriceRub(value: unknown): bigint | undefined {
  const microRub = readRub(value)
  return microRub !== undefined && microRub >= 0n ? microRub : undefined
}
