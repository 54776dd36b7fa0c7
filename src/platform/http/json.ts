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

export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Writes a path as it is written in code: `messages[0].content`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
