import { math } from '../../../platform/math-syntax.ts'
import type { Code, Construct, Context, Extension, State, Tokenizer } from './micromark.ts'

const DOLLAR = 36
const FORMULA = /^\$[^$ \t\r\n](?:[^$]*[^$ \t\r\n])?\$/
const DIGIT = /\p{Nd}/u
/** The first character of a variable or word. Scripts without blanks write formulas right before words. */
const WORD = /[\p{L}\p{N}_{]/u
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/**
 * The rules of formulas between dollar signs, with prices and shell variables left as text.
 *
 * As in Pandoc, no blank follows the first dollar of a formula or precedes its last. No digit precedes the first, and
 * no letter or digit follows the last: "5$ and 6$", "$HOME:$PATH". Two dollars and more always enclose a formula.
 */
export function dollarFormulas(): Extension {
  const { text = {}, ...extension } = math()
  const formula = text[DOLLAR] as Construct
  return { ...extension, text: { [DOLLAR]: { ...formula, tokenize } } }

  function tokenize(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
    const { previous } = this
    return formula.tokenize.call(
      this,
      effects,
      (next) => (isFormula(this, { previous, next }) ? ok : nok)(next),
      nok,
    )
  }
}

/** @param around The characters before and after what may be a formula, whose token has just ended. */
function isFormula(context: Context, { previous, next }: { previous: Code; next: Code }): boolean {
  const token = context.events.at(-1)?.[1]
  const source = token ? context.sliceSerialize(token) : ''
  if (source.startsWith('$$')) return true
  const after = toCharacter(next)
  const isBeforeWord = WORD.test(after) && !WITHOUT_BLANKS.test(after)
  return FORMULA.test(source) && !DIGIT.test(toCharacter(previous)) && !isBeforeWord
}

function toCharacter(code: Code): string {
  return code === null || code < 0 ? '' : String.fromCharCode(code)
}
