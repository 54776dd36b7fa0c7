const EMPTY = /[ \t]*(?:#.*)?(?:\n|$)/y
const NAME = /[ \t]*(?:export[ \t]+)?[^\s=#"'`]+[ \t]*=(?<blanks>[ \t]*)/y
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/y
const QUOTE = /["'`]/y

const NAMED_MAX = 3

/**
 * Finds the lines of an `.env` that Node passes over without a word, or whose value is another one than whoever wrote them
 * means: a variable that is not set is as one that was never meant to be.
 *
 * @returns Words for each, such as "line 2 is no NAME=value": a value may be a secret.
 */
export function findUnreadable(written: string): string[] {
  const text = written.replaceAll('\r\n', '\n')
  const problems: string[] = []
  let at = 0
  while (at < text.length) {
    const line = lineAt(at)
    if (take(EMPTY)) continue
    const problem = takeAssignment()
    if (problem !== undefined) problems.push(`line ${line} ${problem}`)
  }
  const more = problems.length - NAMED_MAX
  return more > 0 ? [...problems.slice(0, NAMED_MAX), `and ${more} more`] : problems

  function takeAssignment(): string | undefined {
    const name = take(NAME)
    if (name === undefined) {
      takeLine()
      return 'is no NAME=value'
    }
    if (looksAt(QUOTE)) return takeQuoted()
    // Node skips blanks after the = and, where nothing else stands there, the ends of lines, too.
    const takesNext = name.groups?.blanks !== '' && looksAt(/\n\s*\S/y)
    takeLine()
    if (takesNext) return 'has a blank after its = and no value: the next line would be its value'
    return undefined
  }

  function takeQuoted(): string | undefined {
    if (take(QUOTED) === undefined) {
      takeLine()
      return 'opens a quote that nothing closes'
    }
    const end = lineAt(at)
    if (take(EMPTY)) return undefined
    takeLine()
    return `has a quote that ends on line ${end}, and more after it`
  }

  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    if (found !== undefined) at = pattern.lastIndex
    return found
  }

  function looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = at
    return pattern.test(text)
  }

  function takeLine(): void {
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end + 1
  }

  function lineAt(index: number): number {
    return text.slice(0, index).split('\n').length
  }
}
