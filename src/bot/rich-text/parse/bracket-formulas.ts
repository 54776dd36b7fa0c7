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
const CLOSINGS: Readonly<Record<number, number>> = { [ROUND]: 41, [SQUARE]: CLOSING_SQUARE }

type Effects = Parameters<Tokenizer>[0]

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
  const value = createValue(effects, 'mathTextData')
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
    return closing === CLOSING_SQUARE ? afterSquare : data
  }

  function afterSquare(code: Code): State | undefined {
    mustBeAlone = !isSpace(code) && !isLineEnd(code)
    return mustBeAlone && !isLineStart ? nok(code) : data(code)
  }

  function data(code: Code): State | undefined {
    if (code === null) return nok(code)
    if (code === BACKSLASH) {
      value.end()
      effects.enter('mathTextSequence')
      effects.consume(code)
      return escaped
    }
    if (isLineEnd(code)) {
      value.end()
      takeLineEnd(effects, code)
    } else value.take(code)
    return data
  }

  function escaped(code: Code): State | undefined {
    if (code === closing) {
      effects.consume(code)
      effects.exit('mathTextSequence')
      effects.exit('mathText')
      return mustBeAlone ? atLineEnd : ok
    }
    // No formula begins in another one. So each of many unclosed ones is given up at the next.
    if (code === ROUND || code === SQUARE) return nok(code)
    effects.exit('mathTextSequence').type = 'mathTextData'
    if (code === null || isLineEnd(code)) return data(code)
    value.take(code)
    return data
  }

  function atLineEnd(code: Code): State | undefined {
    return code === null || isLineEnd(code) ? ok(code) : nok(code)
  }
}

function tokenizeBlock(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  const isInterrupting = this.interrupt
  const value = createValue(effects, 'mathFlowValue')
  return open

  function open(code: Code): State | undefined {
    effects.enter('mathFlow')
    return effects.attempt(openingFence, opened, nok)(code)
  }

  function opened(code: Code): State | undefined {
    return isInterrupting ? ok(code) : inside(code)
  }

  function inside(code: Code): State | undefined {
    if (code === BACKSLASH) return effects.check(closingFence, close, backslash)(code)
    if (code !== null && !isLineEnd(code)) return take(code)
    value.end()
    return effects.attempt(lineStart, inside, end)(code)
  }

  function backslash(code: Code): State {
    value.take(code)
    return (next) => (next === null || isLineEnd(next) ? inside(next) : take(next))
  }

  function take(code: Code): State {
    value.take(code)
    return inside
  }

  function close(code: Code): State | undefined {
    value.end()
    return effects.attempt(closingFence, end, nok)(code)
  }

  function end(code: Code): State | undefined {
    effects.exit('mathFlow')
    return ok(code)
  }
}

const lineStart: Construct = { tokenize: tokenizeLineStart, partial: true }

function tokenizeLineStart(this: Context, ...[effects, ok, nok]: Parameters<Tokenizer>): State {
  const { parser, now } = this
  return lineEnd

  function lineEnd(code: Code): State | undefined {
    if (!isLineEnd(code)) return nok(code)
    takeLineEnd(effects, code)
    return start
  }

  function start(code: Code): State | undefined {
    return parser.lazy[now().line] ? nok(code) : effects.check(blankLine, nok, ok)(code)
  }
}

/** A value gets its token with its first character: micromark takes no empty one. */
function createValue(effects: Effects, type: 'mathTextData' | 'mathFlowValue') {
  let isOpen = false
  return { take, end }

  function take(code: Code): void {
    if (!isOpen) effects.enter(type)
    isOpen = true
    effects.consume(code)
  }

  function end(): void {
    if (isOpen) effects.exit(type)
    isOpen = false
  }
}

function takeLineEnd(effects: Effects, code: Code): void {
  effects.enter('lineEnding')
  effects.consume(code)
  effects.exit('lineEnding')
}

const blankLine: Construct = {
  tokenize: (effects, ok, nok) =>
    function blanks(code) {
      if (!isSpace(code)) return code === null || isLineEnd(code) ? ok(code) : nok(code)
      effects.consume(code)
      return blanks
    },
  partial: true,
}

const openingFence: Construct = { tokenize: tokenizeFence(SQUARE), partial: true }
const closingFence: Construct = { tokenize: tokenizeFence(CLOSING_SQUARE), partial: true }

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
      return effects.attempt(blankLine, end, nok)
    }

    function end(code: Code): State | undefined {
      effects.exit('mathFlowFence')
      return ok(code)
    }
  }
}
