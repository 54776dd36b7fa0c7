export type JsonObject = Record<string, unknown>

/** Parses JSON; undefined if it is malformed. A SyntaxError would quote the text in a log. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a JSON object, an empty one for anything else, so that its fields can be read. */
export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

export const ONCE = 'a name that is given once, not twice'

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

interface Open {
  names: Set<string> | undefined
  at: string | number
}

/** Finds the paths of names that an object has twice; `JSON.parse()` silently takes the last value. */
export function findRepeatedNames(json: string): string[] {
  const repeated = new Set<string>()
  const open: Open[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKENS)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inner?.at === 'number') inner.at++
    else if (token === ':' && inner?.names !== undefined) {
      const name: string = JSON.parse(last)
      inner.at = name
      if (inner.names.has(name)) repeated.add(formatPath(open.map(({ at }) => at)))
      inner.names.add(name)
    }
    last = token
  }
  return [...repeated]
}

/** Writes a path as it is written in code: `messages[0].content`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
