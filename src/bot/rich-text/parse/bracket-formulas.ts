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

const BACKSLASH = 92
const ROUND = 40
const SQUARE = 91
const CLOSING_SQUARE = 93
/** The bracket that ends a formula, by the one that opened it. */
const CLOSINGS: Readonly<Record<number, number>> = { [ROUND]: 41, [SQUARE]: CLOSING_SQUARE }

/**
 * Reads formulas between TeX's own signs, `\( … \)` and `\[ … \]`, into the tokens of those between
 * dollar signs. A `\[` alone in its line opens a block, which ends with a line that ends in `\]`, with a
 * blank line, or with the block around it. In a line with other text a blank has to follow `\[`:
 * without one it is an escaped bracket, as in `\[1\]`.
 */
export function bracketFormulas(): Extension {
  return {
    text: { [BACKSLASH]: { name: 'bracketFormula', tokenize: tokenizeText } },
    flow: { [BACKSLASH]: { name: 'bracketFormulaBlock', tokenize: tokenizeBlock, concrete: true } },
  }
}

function tokenizeText(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  const isLineStart = this.previous === null || isLineEnd(this.previous)
  let closing: number | undefined
  let mustBeAlone = false
  return open

  function open(code: Code): State {
    effects.enter('mathText')
    effects.enter('mathTextSequence')
    effects.consume(code)
    return opened
  }

  function opened(code: Code): State | undefined {
    closing = CLOSINGS[code ?? BACKSLASH]
    if (closing === undefined) return nok(code)
    effects.consume(code)
    effects.exit('mathTextSequence')
    return closing === CLOSING_SQUARE ? afterSquare : between
  }

  function afterSquare(code: Code): State | undefined {
    mustBeAlone = !isSpace(code) && !isLineEnd(code)
    return mustBeAlone && !isLineStart ? nok(code) : between(code)
  }

  function between(code: Code): State | undefined {
    if (code === null) return nok(code)
    if (code === BACKSLASH) return backslash(code)
    if (isLineEnd(code)) {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return between
    }
    effects.enter('mathTextData')
    return data(code)
  }

  function data(code: Code): State | undefined {
    if (code === null || code === BACKSLASH || isLineEnd(code)) {
      effects.exit('mathTextData')
      return between(code)
    }
    effects.consume(code)
    return data
  }

  function backslash(code: Code): State {
    const token = effects.enter('mathTextSequence')
    effects.consume(code)
    return escaped

    function escaped(next: Code): State | undefined {
      if (next === closing) {
        effects.consume(next)
        effects.exit('mathTextSequence')
        effects.exit('mathText')
        return mustBeAlone ? atLineEnd : ok
      }
      // No formula begins in another one. So each of many unclosed ones is given up at the next.
      if (next === ROUND || next === SQUARE) return nok(next)
      token.type = 'mathTextData'
      if (next === null || isLineEnd(next)) return data(next)
      effects.consume(next)
      return data
    }
  }

  function atLineEnd(code: Code): State | undefined {
    return code === null || isLineEnd(code) ? ok(code) : nok(code)
  }
}

function tokenizeBlock(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  const isInterrupting = this.interrupt
  return open

  function open(code: Code): State | undefined {
    effects.enter('mathFlow')
    return effects.attempt(openingFence, opened, nok)(code)
  }

  function opened(code: Code): State | undefined {
    return isInterrupting ? ok(code) : lineEnd(code)
  }

  function lineEnd(code: Code): State | undefined {
    return effects.check(nextLine, goOn, end)(code)
  }

  function goOn(code: Code): State {
    effects.enter('lineEnding')
    effects.consume(code)
    effects.exit('lineEnding')
    return line
  }

  function line(code: Code): State | undefined {
    if (code === BACKSLASH) return effects.attempt(closingFence, end, value)(code)
    return value(code)
  }

  function value(code: Code): State | undefined {
    effects.enter('mathFlowValue')
    return inside(code)
  }

  function inside(code: Code): State | undefined {
    if (code === null || isLineEnd(code)) return endValue(code, lineEnd)
    if (code === BACKSLASH) {
      return effects.check(closingFence, (next) => endValue(next, line), backslash)(code)
    }
    effects.consume(code)
    return inside
  }

  function backslash(code: Code): State {
    effects.consume(code)
    return (next) => {
      if (next === null || isLineEnd(next)) return inside(next)
      effects.consume(next)
      return inside
    }
  }

  function endValue(code: Code, next: State): State | undefined {
    effects.exit('mathFlowValue')
    return next?.(code)
  }

  function end(code: Code): State | undefined {
    effects.exit('mathFlow')
    return ok(code)
  }
}

const nextLine: Construct = { tokenize: tokenizeNextLine, partial: true }

/** Succeeds at a line end if the next line belongs to the block and is not blank. */
function tokenizeNextLine(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  const { parser, now } = this
  return lineEnd

  function lineEnd(code: Code): State | undefined {
    if (!isLineEnd(code)) return nok(code)
    effects.enter('lineEnding')
    effects.consume(code)
    effects.exit('lineEnding')
    return start
  }

  function start(code: Code): State | undefined {
    return parser.lazy[now().line] ? nok(code) : blanks(code)
  }

  function blanks(code: Code): State | undefined {
    if (!isSpace(code)) return code === null || isLineEnd(code) ? nok(code) : ok(code)
    effects.consume(code)
    return blanks
  }
}

const openingFence: Construct = { tokenize: tokenizeFence(SQUARE), partial: true }
const closingFence: Construct = { tokenize: tokenizeFence(CLOSING_SQUARE), partial: true }

/** Succeeds with a backslash and the bracket if nothing but blanks follows them in their line. */
function tokenizeFence(bracket: number): Tokenizer {
  return (effects, ok, nok) => {
    return open

    function open(code: Code): State {
      effects.enter('mathFlowFence')
      effects.consume(code)
      return opened
    }

    function opened(code: Code): State | undefined {
      if (code !== bracket) return nok(code)
      effects.consume(code)
      return after
    }

    function after(code: Code): State | undefined {
      if (isSpace(code)) {
        effects.consume(code)
        return after
      }
      if (code !== null && !isLineEnd(code)) return nok(code)
      effects.exit('mathFlowFence')
      return ok(code)
    }
  }
}
