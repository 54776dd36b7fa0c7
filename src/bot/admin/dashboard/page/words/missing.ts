import type { LeftOf } from '../../api.ts'
import type { Words } from './en.ts'

/** The words for a balance that there is not. */
export function toMissing(leftOf: LeftOf, { unknown, noLimit }: Words['now']): string {
  return leftOf === 'nothing' ? noLimit : unknown
}
