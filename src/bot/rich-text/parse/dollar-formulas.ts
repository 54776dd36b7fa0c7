import { math } from '../../../platform/math-syntax.ts'
import type { Code, Construct, Context, Extension, State, Tokenizer } from './micromark.ts'

const DOLLAR = 36
const FORMULA = /^\$[^$ \t\r\n](?:[^$]*[^$ \t\r\n])?\$/

/**
 * The rules of formulas between dollar signs, with prices left as text.
 *
 * As in Pandoc, no blank follows the first dollar of a formula or precedes its last, and no digit
 * follows the last: "$5 and $6" are prices. Two dollars and more always enclose a formula.
 */
export function dollarFormulas(): Extension {
  const { text = {}, ...extension } = math()
  const formula = text[DOLLAR] as Construct
  return { ...extension, text: { [DOLLAR]: { ...formula, tokenize } } }

  function tokenize(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
    return formula.tokenize.call(
      this,
      effects,
      (code) => (isFormula(this, code) ? ok : nok)(code),
      nok,
    )
  }
}

/** @param next The character after what may be a formula, whose token has just ended. */
function isFormula(context: Context, next: Code): boolean {
  const token = context.events.at(-1)?.[1]
  const source = token ? context.sliceSerialize(token) : ''
  if (source.startsWith('$$')) return true
  const isDigit = next !== null && next >= 48 && next <= 57
  return FORMULA.test(source) && !isDigit
}
