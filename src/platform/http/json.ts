export type JsonObject = Record<string, unknown>

/** Parses JSON; undefined if the text is none. A SyntaxError would quote the text, so there is none to log. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks whether a value is a JSON object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
