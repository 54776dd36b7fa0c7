/** A statement whose parameters have names. */
export interface NamedStatement {
  readonly text: string
  valuesOf: (values: Readonly<Record<string, unknown>>) => unknown[]
}

/** A name and its colon; the colons of a cast, as in `::text`, are none. */
const PARAMETER = /(?<![:\w]):([a-z]\w*)/gi

/**
 * Numbers the parameters of a statement, which are written as psql has them: `:chatId`. So it runs there as it stands,
 * after `\set chatId 42`. A name that occurs twice is one parameter.
 */
export function nameParameters(sql: string): NamedStatement {
  const names: string[] = []
  const text = sql.replace(PARAMETER, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, valuesOf }

  function valuesOf(values: Readonly<Record<string, unknown>>): unknown[] {
    const odd = new Set(names).symmetricDifference(new Set(Object.keys(values)))
    if (odd.size > 0) throw new TypeError(`Cannot run statement: parameter ${[...odd]} differs`)
    return names.map((name) => values[name])
  }
}
