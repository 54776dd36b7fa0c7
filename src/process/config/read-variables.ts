/** How variables of the environment are read: each into a value, or into sentences about what it should be. */

export type Environment = Readonly<Record<string, string | undefined>>

/** Turns a variable's text into a value, or into sentences about its problems. */
export type Parse<T> = (value: string) => { value: T } | { problems: readonly string[] }

/**
 * Makes what reads one variable after the other.
 *
 * @param problems Gets what is wrong with any of them.
 * @param known Gets the name of each.
 */
export function reader(env: Environment, problems: string[], known = new Set<string>()) {
  return <T>(name: string, parse: Parse<T>): T | undefined => {
    known.add(name)
    if (!isSet(env, name)) return undefined
    const parsed = parse(env[name]?.trim() ?? '')
    if ('value' in parsed) return parsed.value
    problems.push(...parsed.problems.map((problem) => `${name}: ${problem}`))
    return undefined
  }
}

/** An empty variable counts as unset. */
export function isSet(env: Environment, name: string): boolean {
  return (env[name]?.trim() ?? '') !== ''
}

/** @param read Undefined for a text that is none. The text is left out of the problem: it may be a secret. */
export function shouldBe<T>(what: string, read: (text: string) => T | undefined): Parse<T> {
  return (text) => {
    const value = read(text)
    return value === undefined ? { problems: [`should be ${what}`] } : { value }
  }
}

/** Reads a text that matches. */
export function matching(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined)
}

/** Undefined unless every part between the commas is one. */
export function setOf<T>(
  readPart: (part: string) => T | undefined,
): (text: string) => ReadonlySet<T> | undefined {
  return (text) => {
    const parts = text.split(',').map((part) => readPart(part.trim()))
    return parts.every((part) => part !== undefined) ? new Set(parts) : undefined
  }
}
