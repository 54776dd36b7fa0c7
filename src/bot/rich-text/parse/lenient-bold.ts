import type { Code, Construct, Context, Extension, Tokenizer } from './micromark.ts'

const ASTERISK = 42
/** Punctuation after which `**` between a sign and a letter opens bold: `(**kwargs`, `=**b`, `src/**a`. */
const BEFORE_OPENING = /[\p{Ps}\p{Pi}/\\=@#&<_~|*]/u
/** Brackets and quotation marks of scripts that write no blanks around bold. ASCII's are calls: `x**(a)`. */
const OPENING = /[^\p{ASCII}]/u
const OPENING_KIND = /[\p{Ps}\p{Pi}]/u
const SIGN = /[\p{P}\p{S}]/u

type Sequence = Context['events'][number][1]

/**
 * The rules of bold between asterisks, with bold that ends in punctuation before a letter, as in `**Note:**text`,
 * and bold that begins with a quotation mark after a letter, as models write in Chinese.
 */
export function lenientBold(): Extension {
  return { text: { [ASTERISK]: { name: 'lenientBold', tokenize, resolveAll } } }

  function tokenize(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>) {
    const { previous } = this
    return emphasisOf(this).tokenize.call(
      this,
      effects,
      (next) => {
        const sequence = this.events.at(-1)?.[1]
        if (sequence) widen(sequence, previous, next)
        return ok(next)
      },
      nok,
    )
  }
}

/** CommonMark's own rules for the same sign, which give the result for all others. */
function emphasisOf(context: Context): Construct {
  const constructs = [context.parser.constructs.text?.[ASTERISK] ?? []].flat()
  const found = constructs.find(({ name }) => name === 'attention')
  if (found === undefined) throw new Error('the parser has no rules for emphasis')
  return found
}

const resolveAll: NonNullable<Construct['resolveAll']> = (events, context) =>
  emphasisOf(context).resolveAll?.(events, context) ?? events

function widen(sequence: Sequence, previous: Code, next: Code): void {
  if (sequence.end.offset - sequence.start.offset < 2) return
  const [before, after] = [toCharacter(previous), toCharacter(next)]
  if (before === '' || after === '') return
  if (SIGN.test(before)) {
    const mayClose = !SIGN.test(after) && !BEFORE_OPENING.test(before)
    if (mayClose) sequence._close = true
  } else if (OPENING.test(after) && OPENING_KIND.test(after)) sequence._open = true
}

/** Returns nothing for a blank or the end of a line. */
function toCharacter(code: Code): string {
  return code === null || code < 0 ? '' : String.fromCharCode(code).trim()
}
