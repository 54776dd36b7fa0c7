/** Something that a user may name. */
export interface Named<T> {
  value: T
  names: readonly string[]
}

/**
 * Finds what a user means by a word: what has that name, otherwise the only one with a name that the word is a part of.
 *
 * @returns Undefined where there is none, and where there are several.
 */
export function findNamed<T>(typed: string, things: readonly Named<T>[]): T | undefined {
  const word = typed.toLowerCase()
  const isNamed = (matches: (name: string) => boolean) =>
    things.filter(({ names }) => names.some((name) => matches(name.toLowerCase())))
  const exact = isNamed((name) => name === word)
  const found = exact.length > 0 ? exact : isNamed((name) => name.includes(word))
  return found.length === 1 ? found[0]?.value : undefined
}
