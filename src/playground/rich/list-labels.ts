import type { RichBlockListItem } from 'grammy/types'

const ROMAN = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const
/** Past it, Roman numerals and letters say less than figures. */
const NUMERAL_MAX = 3_999

export type ListType = NonNullable<RichBlockListItem['type']>

export function isListType(type: unknown): type is ListType {
  return ['a', 'A', 'i', 'I', '1'].includes(type as string)
}

/** The label before an item: its number in the letters of the type, with a dot. */
export function labelOf(value: number, type: ListType): string {
  const isNumeral = value >= 1 && value <= NUMERAL_MAX
  if (type === '1' || !isNumeral) return `${value}.`
  const lower = type.toLowerCase() === 'a' ? toLetters(value) : toRoman(value)
  return `${type === type.toLowerCase() ? lower : lower.toUpperCase()}.`
}

/** Names a number as the columns of a sheet are named: z, then aa. */
function toLetters(value: number): string {
  let letters = ''
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters
  }
  return letters
}

function toRoman(value: number): string {
  let rest = value
  let numeral = ''
  for (const [worth, letters] of ROMAN) {
    while (rest >= worth) {
      numeral += letters
      rest -= worth
    }
  }
  return numeral
}
