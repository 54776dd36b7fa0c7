import { isJsonObject, parseJson } from '../../platform/http/json.ts'

/** How much of a refusal is read. */
export const EXPLANATION_BYTES_MAX = 4096
const EXPLANATION_CHARS_MAX = 500

/** Stands for what must not be in a log. */
export const HIDDEN = '[hidden]'
/** A shorter text of a client's is a common word. */
const QUOTE_CHARS_MIN = 6
/** How many characters in a row of a longer one are a quotation. */
const QUOTE_CHARS = 16

/** Texts that were sent and must not come back into a log. */
export interface Unspeakable {
  secrets: readonly string[]
  texts: readonly string[]
}

/**
 * Makes one line for the operator from a provider's answer that explains its failure. It is not for the client: see
 * `explainToClient()`.
 *
 * Of JSON it is the message and its code, of a page its text. Our keys are left out, and so is what it
 * quotes of the client's words.
 *
 * @param body At most `EXPLANATION_BYTES_MAX` bytes of it.
 * @returns At most 500 characters; undefined if it is empty.
 */
export function toExplanation(
  body: Uint8Array | string,
  { secrets, texts }: Unspeakable,
): string | undefined {
  // The longest first: where one begins like another, nothing of it is left.
  const hidden = secrets
    .filter((secret) => secret !== '')
    .toSorted((one, other) => other.length - one.length)
  const open = hidden.reduce(
    (text, secret) => text.replaceAll(secret, HIDDEN),
    findMessage(toWhole(body, hidden)),
  )
  const line = texts.reduce(hideQuotes, toLine(open).slice(0, EXPLANATION_CHARS_MAX))
  return line === '' ? undefined : line.slice(0, EXPLANATION_CHARS_MAX).toWellFormed()
}

/** Leaves out the end of a text that was cut: it may be the beginning of a key. */
function toWhole(body: Uint8Array | string, secrets: readonly string[]): string {
  const bytes = Buffer.from(body)
  if (bytes.byteLength < EXPLANATION_BYTES_MAX) return bytes.toString()
  const cutBytes = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)))
  return bytes.subarray(0, Math.max(0, EXPLANATION_BYTES_MAX - cutBytes)).toString()
}

/** Finds a service's reason: OpenAI's `error`, the `detail` of this interface, a bare `message`. */
function findMessage(text: string): string {
  if (/^\s*</.test(text)) return text.replaceAll(/<[^>]*>/g, ' ')
  const json = parseJson(text)
  // JSON that was cut may write a slash as `\/`, also in a key.
  if (!isJsonObject(json)) return text.replaceAll('\\/', '/')
  const { error, message, detail } = json
  const reason = error ?? detail ?? message
  if (typeof reason === 'string') return reason
  const problems = Array.isArray(reason) ? reason.flatMap(describeProblem) : []
  if (problems.length > 0) return problems.join('; ')
  const { code, type, message: words } = isJsonObject(reason) ? reason : {}
  const parts = [code ?? type, words].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  )
  // Serialized again: its own way of writing may hide a key.
  return parts.length === 0 ? JSON.stringify(json) : parts.join(': ')
}

/** Reads a field that is wrong, as FastAPI and this interface list them. What else is there may quote the request. */
function describeProblem(problem: unknown): string[] {
  const { loc, msg } = isJsonObject(problem) ? problem : {}
  if (typeof msg !== 'string') return []
  return [Array.isArray(loc) ? `${loc.join('.')}: ${msg}` : msg]
}

/** One line, without what would move a terminal's cursor or turn its text around. */
function toLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').trim()
}

/** @param source What the client wrote; it may be 32 million characters. */
function hideQuotes(line: string, source: string): string {
  if (source.trim().length < QUOTE_CHARS_MIN) return line
  // Of a part the pieces below find those that hold a whole piece; all of it is found wherever it begins.
  let shown = line.replaceAll(source, HIDDEN)
  if (source.length < QUOTE_CHARS) return shown
  for (let at = 0; at + QUOTE_CHARS <= shown.length; at += QUOTE_CHARS) {
    const found = source.indexOf(shown.slice(at, at + QUOTE_CHARS))
    if (found === -1) continue
    let before = 0
    while (before < at && before < found && shown[at - before - 1] === source[found - before - 1]) {
      before += 1
    }
    let after = QUOTE_CHARS
    while (at + after < shown.length && shown[at + after] === source[found + after]) after += 1
    const rest = shown.slice(at + after)
    shown = `${shown.slice(0, at - before)}${HIDDEN}${rest}`
    at = shown.length - rest.length - QUOTE_CHARS
  }
  return shown
}
