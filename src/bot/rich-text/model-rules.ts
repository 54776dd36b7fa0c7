import { math } from '../../platform/math-syntax.ts'

// What an extension of the parser consists of, by the names of micromark's own types.
export type Extension = ReturnType<typeof math>
type Text = NonNullable<Extension['text']>
type Construct = Exclude<NonNullable<Text[string]>, readonly unknown[]>
type Tokenizer = Construct['tokenize']
type Code = Parameters<NonNullable<ReturnType<Tokenizer>>>[0]
type Context = ThisParameterType<Tokenizer>

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

  function tokenize(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>) {
    const { previous } = this
    const judge = (next: Code) => (isFormula(this, previous, next) ? ok : nok)(next)
    return formula.tokenize.call(this, effects, judge, nok)
  }
}

function isFormula(context: Context, previous: Code, next: Code): boolean {
  const token = context.events.at(-1)?.[1]
  const source = token ? context.sliceSerialize(token) : ''
  if (source.startsWith('$$')) return true
  const after = toCharacter(next)
  const isBeforeWord = WORD.test(after) && !WITHOUT_BLANKS.test(after)
  return FORMULA.test(source) && !DIGIT.test(toCharacter(previous)) && !isBeforeWord
}

/** Returns nothing for the end of a line or a text. */
function toCharacter(code: Code): string {
  return code === null || code < 0 ? '' : String.fromCharCode(code)
}

/** A formula between TeX's signs, or an escaped character. No formula has another one inside, or a blank line. */
const TEX = /\\([([])((?:[^\\\n]|\n(?![ \t>]*\n)|\\[^()[\]])+)\\([)\]])|\\[\s\S]/g
const LINE_LEAD = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/

/**
 * Writes TeX's signs `\( … \)` and `\[ … \]` as two dollar signs. No other character moves.
 *
 * In a line with other text a blank has to follow `\[`: without a blank it is an escaped bracket, as in `\[1\]`.
 *
 * @param left The offsets of the formulas that stay as they are, because they stand in code.
 */
export function writeTexAsDollars(source: string, left: ReadonlySet<number>) {
  const offsets: number[] = []
  if (!/\\[([]/.test(source)) return { text: source, offsets }
  const text = source.replaceAll(TEX, (whole, open, inside, close, offset) => {
    const end = offset + whole.length
    const isFirst = LINE_LEAD.test(source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset))
    const isAlone = isFirst && /^[ \t]*(?:\n|$)/.test(source.slice(end, end + 100))
    const isPair = open === '(' ? close === ')' : close === ']' && (isAlone || /^\s/.test(inside))
    if (inside === undefined || !isPair || left.has(offset)) return whole
    offsets.push(offset)
    const isBlock = isAlone && open === '[' && /^[ \t]*\n[\s\S]*\n[ \t>]*$/.test(inside)
    // In a paragraph, the lines of a formula could begin other blocks.
    return `$$${isBlock ? inside : inside.replaceAll('\n', ' ')}$$`
  })
  return { text, offsets }
}

const ASTERISK = 42
/** Punctuation after which `**` between a sign and a letter opens bold: `(**kwargs`, `=**b`, `src/**a`. */
const BEFORE_OPENING = /[\p{Ps}\p{Pi}/\\=@#&<_~|*]/u
/** Brackets and quotation marks of scripts that write no blanks around bold. ASCII's are calls: `x**(a)`. */
const OPENING = /[^\p{ASCII}]/u
const OPENING_KIND = /[\p{Ps}\p{Pi}]/u
const SIGN = /[\p{P}\p{S}]/u

/**
 * The rules of bold between asterisks, with bold that ends in punctuation before a letter, as in `**Note:**text`,
 * and bold that begins with a quotation mark after a letter, as models write in Chinese.
 */
export function lenientBold(): Extension {
  const resolveAll: Construct['resolveAll'] = (events, context) =>
    emphasisOf(context).resolveAll?.(events, context) ?? events
  return { text: { [ASTERISK]: { name: 'lenientBold', tokenize, resolveAll } } }

  function tokenize(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>) {
    const { previous } = this
    const end = (next: Code) => {
      const sequence = this.events.at(-1)?.[1]
      if (sequence) widen(sequence, toCharacter(previous).trim(), toCharacter(next).trim())
      return ok(next)
    }
    return emphasisOf(this).tokenize.call(this, effects, end, nok)
  }
}

/** CommonMark's own rules for the same sign, which give the result for all others. */
function emphasisOf(context: Context): Construct {
  const constructs = [context.parser.constructs.text?.[ASTERISK] ?? []].flat()
  const found = constructs.find(({ name }) => name === 'attention')
  if (found === undefined) throw new Error('the parser has no rules for emphasis')
  return found
}

function widen(sequence: Context['events'][number][1], before: string, after: string): void {
  if (sequence.end.offset - sequence.start.offset < 2 || before === '' || after === '') return
  if (SIGN.test(before)) {
    if (!SIGN.test(after) && !BEFORE_OPENING.test(before)) sequence._close = true
  } else if (OPENING.test(after) && OPENING_KIND.test(after)) sequence._open = true
}
