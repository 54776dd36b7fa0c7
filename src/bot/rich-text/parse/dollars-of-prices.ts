import {
  type Code,
  type Construct,
  type Context,
  type Extension,
  isLineEnd,
  isSpace,
  type State,
  type Tokenizer,
} from './micromark.ts'

const DOLLAR = 36

/**
 * Takes a dollar sign that begins no formula as text, before the rule of formulas sees it.
 *
 * As in Pandoc, no blank follows the first dollar of a formula or precedes its last, and no digit
 * follows the last: "$5 and $6" are prices.
 */
export function dollarsOfPrices(): Extension {
  return {
    text: { [DOLLAR]: { name: 'dollarOfPrice', previous: canBegin, tokenize: tokenizeDollar } },
  }
}

const formula: Construct = { tokenize: tokenizeFormula, partial: true }

function tokenizeDollar(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  return effects.check(formula, nok, takeAsText)

  function takeAsText(code: Code): State {
    effects.enter('data')
    effects.consume(code)
    effects.exit('data')
    return ok
  }
}

/** Succeeds with a formula. Two dollars and more are always left to the rule of formulas. */
function tokenizeFormula(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  let before: Code = null
  return open

  function open(code: Code): State {
    effects.enter('data')
    effects.consume(code)
    return first
  }

  function first(code: Code): State | undefined {
    if (code === DOLLAR) return end(code, ok)
    if (isBlank(code)) return end(code, nok)
    return inside(code)
  }

  function inside(code: Code): State | undefined {
    if (code === null) return end(code, nok)
    if (code === DOLLAR) return close(code)
    before = code
    effects.consume(code)
    return inside
  }

  function close(code: Code): State | undefined {
    if (isBlank(before)) return end(code, nok)
    effects.consume(code)
    return after
  }

  function after(code: Code): State | undefined {
    return end(code, isDigit(code) ? nok : ok)
  }

  function end(code: Code, next: State): State | undefined {
    effects.exit('data')
    return next(code)
  }
}

/** As for formulas, the first of several dollar signs in a row decides. */
function canBegin(
  this: ThisParameterType<NonNullable<Construct['previous']>>,
  code: Code,
): boolean {
  return code !== DOLLAR || this.events.at(-1)?.[1].type === 'characterEscape'
}

function isBlank(code: Code): boolean {
  return code === null || isSpace(code) || isLineEnd(code)
}

function isDigit(code: Code): boolean {
  return code !== null && code >= 48 && code <= 57
}
