/** A text of a source file that occurs there once, and the one that makes it wrong. */
export interface Edit {
  /** Its path below the root. */
  file: string
  find: string
  replace: string
}

/** A fault of our service, made by changing a line of its sources, or a few where one line cannot show it. */
export interface Mutation {
  /** As it is asked for and told of. */
  name: string
  /** The rule that is broken, in words. */
  breaks: string
  edits: readonly [Edit, ...Edit[]]
}

/** Makes a mutation of one change. */
export function mutation(
  name: string,
  breaks: string,
  file: string,
  find: string,
  replace: string,
): Mutation {
  return { name, breaks, edits: [{ file, find, replace }] }
}

/** Makes a file's text wrong. @throws {Error} If the text to be changed is not there, or not once. */
export function applyEdit(source: string, { file, find, replace }: Edit): string {
  const [before, after, ...more] = source.split(find)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`Cannot change ${file}: ${JSON.stringify(find)} is not there once`)
  }
  return before + replace + after
}
