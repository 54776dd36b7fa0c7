import { ACCENTS, DOUBLE_LETTERS, FORMULA_SIGNS, FORMULA_WORDS } from './formula-symbols.ts'
import { lower, raise } from './scripts.ts'

/** A longer formula is shown as its source. */
const FORMULA_CHARS_MAX = 2000
const DEPTH_MAX = 20
const TOKEN = /\\(?:operatorname\*|[A-Za-z]+|[\s\S])|\s+|[\s\S]/gu

/** Commands whose one argument is shown as it is. */
const SHOWN = new Set(
  'text textbf textit textrm mathrm mathbf mathit mathsf mathcal mathfrak boldsymbol bm operatorname operatorname* boxed underline underbrace overbrace mbox'.split(
    ' ',
  ),
)
/** Commands that only change the size or the place of what follows. */
const SILENT = new Set(
  'left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle limits nolimits'.split(
    ' ',
  ),
)
const FRACTIONS = new Set(['frac', 'dfrac', 'tfrac', 'cfrac'])
const SPACES: Readonly<Record<string, string>> = {
  ...{ ',': ' ', ';': ' ', ':': ' ', ' ': ' ', '>': ' ', '!': '', quad: '  ', qquad: '   ' },
}
/** The brackets around the rows of an environment, where these stand in one line. */
const ENVIRONMENTS: Readonly<Record<string, readonly [string, string] | 'lines'>> = {
  ...{ matrix: ['[', ']'], pmatrix: ['(', ')'], bmatrix: ['[', ']'], vmatrix: ['|', '|'] },
  ...{ smallmatrix: ['[', ']'], array: ['[', ']'], cases: ['{ ', ''] },
  ...{ aligned: 'lines', align: 'lines', 'align*': 'lines', gather: 'lines', 'gather*': 'lines' },
  ...{ gathered: 'lines', split: 'lines', equation: 'lines', 'equation*': 'lines' },
}

const ONE = /^(?:\p{Nd}+(?:[.,]\p{Nd}+)?|\p{L}[\p{Lm}\p{No}\p{M}′⁺⁻₊₋]*|\p{L}{3,}|∞|\([^()]*\))$/u

/** A formula that has no way to be written in one line of characters. */
class UnwritableError extends Error {
  override readonly name = 'UnwritableError'
}

/**
 * Writes a formula in plain characters, as one types it: `x² + 1`, `(a + b)/2`, `√x`.
 *
 * @returns Undefined for one that has signs with no such way, or is not whole.
 */
export function writeFormulaText(source: string): string | undefined {
  if (source.length > FORMULA_CHARS_MAX) return undefined
  try {
    const written = createReader(source.match(TOKEN) ?? []).readUntil(undefined, 0)
    const lines = written.split('\n').map((line) => line.replaceAll(/(?<=\S) {2,}/g, ' ').trim())
    return lines.filter((line) => line !== '').join('\n')
  } catch (error) {
    if (error instanceof UnwritableError) return undefined
    throw error
  }
}

function createReader(tokens: readonly string[]) {
  let at = 0
  return { readUntil }

  /** Reads up to a token, and past it; undefined is the end. */
  function readUntil(end: string | undefined, depth: number): string {
    if (depth > DEPTH_MAX) throw new UnwritableError()
    let written = ''
    while (at < tokens.length) {
      const token = tokens[at] ?? ''
      at += 1
      if (token === end) return written
      written += write(token, written, depth)
    }
    if (end !== undefined) throw new UnwritableError()
    return written
  }

  function write(token: string, before: string, depth: number): string {
    switch (token) {
      case '{':
        return readUntil('}', depth + 1)
      case '}':
        throw new UnwritableError()
      case '^':
        return raise(readArgument(depth))
      case '_':
        return lower(readArgument(depth))
      case '&':
        return ' '
      case '~':
        return ' '
      case "'":
        return '′'
      case '\\\\':
        skipOption()
        return '\n'
      default:
        if (token.startsWith('\\')) return writeCommand(token.slice(1), before, depth)
        return token.trim() === '' ? ' ' : token
    }
  }

  function writeCommand(name: string, before: string, depth: number): string {
    const space = SPACES[name]
    if (space !== undefined) return space
    if (/^[{}%$#&_|]$/.test(name)) return name === '|' ? '‖' : name
    if (SILENT.has(name)) return skipNothing(name)
    const sign = FORMULA_SIGNS.get(name)
    if (sign !== undefined) return sign
    if (FORMULA_WORDS.has(name)) return apart(name, before)
    if (FRACTIONS.has(name))
      return `${grouped(readArgument(depth))}/${grouped(readArgument(depth))}`
    if (name === 'binom') return `C(${readArgument(depth)}, ${readArgument(depth)})`
    if (name === 'sqrt') return writeRoot(depth)
    if (name === 'bmod' || name === 'pmod') return writeRemainder(name, depth)
    if (SHOWN.has(name)) return readArgument(depth)
    if (name === 'mathbb') return mapLetters(readArgument(depth))
    if (ACCENTS.has(name)) return writeAccent(readArgument(depth), ACCENTS.get(name) ?? '')
    if (name === 'begin') return writeEnvironment(depth)
    throw new UnwritableError()
  }

  /** A dot stands for a bracket that is not shown. */
  function skipNothing(name: string): string {
    if ((name === 'left' || name === 'right') && tokens[at] === '.') at += 1
    return ''
  }

  /** A word stands apart from what is around it, unless a bracket or an index follows. */
  function apart(word: string, before: string): string {
    const next = tokens[at] ?? ''
    const gap = /[\p{L}\p{N})]$/u.test(before) ? ' ' : ''
    return `${gap}${word}${/^[\p{L}\p{N}\\]/u.test(next) && !SPACES[next.slice(1)] ? ' ' : ''}`
  }

  function readArgument(depth: number): string {
    while (tokens[at]?.trim() === '') at += 1
    const token = tokens[at]
    if (token === undefined) throw new UnwritableError()
    at += 1
    return write(token, '', depth + 1).trim()
  }

  function readOption(depth: number): string | undefined {
    if (tokens[at] !== '[') return undefined
    at += 1
    return readUntil(']', depth + 1)
  }

  /** The height of a gap between rows says nothing. */
  function skipOption(): void {
    if (tokens[at] === '[') readOption(0)
  }

  function writeRoot(depth: number): string {
    const degree = readOption(depth)
    return `${degree === undefined ? '' : raise(degree)}√${grouped(readArgument(depth))}`
  }

  function writeRemainder(name: string, depth: number): string {
    return name === 'bmod' ? ' mod ' : ` (mod ${readArgument(depth)})`
  }

  function writeEnvironment(depth: number): string {
    const name = readArgument(depth)
    const brackets = ENVIRONMENTS[name]
    if (brackets === undefined) throw new UnwritableError()
    if (name === 'array') readArgument(depth)
    let written = ''
    while (tokens[at] !== '\\end') {
      const token = tokens[at]
      if (token === undefined) throw new UnwritableError()
      at += 1
      written += write(token, written, depth + 1)
    }
    at += 1
    readArgument(depth)
    if (brackets === 'lines') return `\n${written}\n`
    const rows = written.split('\n').map((row) => row.replaceAll(/\s+/g, ' ').trim())
    const [open, close] = brackets
    return `${open}${rows.filter((row) => row !== '').join('; ')}${close}`
  }
}

/** Puts what is more than a number, a letter with its indexes, or a word in brackets. */
function grouped(written: string): string {
  return ONE.test(written) ? written : `(${written})`
}

function mapLetters(written: string): string {
  return [...written].map((letter) => DOUBLE_LETTERS.get(letter) ?? letter).join('')
}

function writeAccent(written: string, accent: string): string {
  return [...written].length === 1 ? `${written}${accent}` : written
}
