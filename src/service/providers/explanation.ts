import { isIP } from 'node:net'
import { describeProblems } from '../../contract/chat.ts'
import { isJsonObject, parseJson, toJsonObject } from '../../platform/http/json.ts'

export const EXPLANATION_BYTES_MAX = 4096
const EXPLANATION_CHARS_MAX = 500
const REASON_CHARS_MAX = 200

const HIDDEN = '[hidden]'
/** A shorter text of a client's is a common word. */
const QUOTE_CHARS_MIN = 6
/** How many characters in a row of a longer one are a quotation. */
const QUOTE_CHARS = 16

/** Texts that were sent and must not come back into a log. */
export interface Unspeakable {
  secrets: readonly string[]
  texts: readonly string[]
}

export interface ProviderNames {
  host: string
  model: string
  offeredAs: string
}

/** Makes one line for the operator from a provider's answer, without our keys and the client's words. */
export function toExplanation(
  body: Uint8Array | string,
  { secrets, texts }: Unspeakable,
): string | undefined {
  // The longest first: if one begins like another, nothing of it is left.
  const hidden = secrets.filter(Boolean).toSorted((one, other) => other.length - one.length)
  const whole = toWhole(body, hidden)
  let line = findMessage(whole) ?? toText(whole)
  for (const secret of hidden) line = line.replaceAll(secret, HIDDEN)
  // One line, without characters that would move a terminal's cursor or turn its text around.
  line = line
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, EXPLANATION_CHARS_MAX)
  line = texts.reduce(hideQuotes, line).slice(0, EXPLANATION_CHARS_MAX)
  return line === '' ? undefined : line.toWellFormed()
}

const CLIENT_STATUSES: ReadonlySet<number> = new Set([400, 413, 422])
const STACK =
  /\bTraceback \(most recent|\bFile "|\s+at [^\n()]{1,100}\([^)\s]+:\d+|\n\s*at \S+:\d+|\bgoroutine \d/
/** Words that lead to a provider, into its network, or to our account there. */
const LEADS: readonly RegExp[] = [
  /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>)]+/gi,
  /[^\s@"'<>(]+@[^\s@"'<>)]+/g,
  // Paths, of files as well: one of two parts at least.
  /(?<![\w.])(?:[~.]{0,2}\/[\w.~-]+){2,}(?::\d+)*|\b[a-z]:\\\S+/gi,
  /(?:[\w.-]+\/)*[\w-]+\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|cc|cpp|so)\b(?::\d+)*/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[?(?:[\da-f]{1,4})?(?:::?[\da-f]{1,4}){3,}\]?(?::\d{1,5})?|\[?::1\b\]?(?::\d{1,5})?/gi,
  /\b(?:localhost\b(?::\d{1,5})?|[\w-]+(?:[.-][\w-]+)+:\d{2,5}\b)/gi,
  /\b(?:[\w-]+\.)+(?:com|net|org|io|ai|dev|app|cloud|co|ru|cn|eu|internal|local|lan|corp|svc|example|test)\b(?::\d{1,5})?/gi,
  // Ids and masked keys, as OpenAI writes them.
  /\b(?:sk|pk|key|org|proj|req|acct)[-_](?=[\w*.-]*[\d*])[\w*.-]{4,}/gi,
  /\bBearer\s+\S+/gi,
]

/** Makes the reason that a client may read, without addresses, paths, account ids and the model's other name. */
export function toClientReason(
  { status, body }: { status: number; body: Uint8Array },
  unspeakable: Unspeakable,
  { host, model, offeredAs }: ProviderNames,
): string | undefined {
  if (!CLIENT_STATUSES.has(status)) return undefined
  const message = findMessage(Buffer.from(body).toString()) ?? ''
  const [words = ''] = message.split(STACK, 1)
  const explanation = toExplanation(words, unspeakable)
  // JSON or a page within the message may hold anything, such as the whole request.
  if (explanation === undefined || /^[[{<]/.test(explanation)) return undefined
  const word = new RegExp(`(?<![\\w.-])${escapePattern(model)}(?![\\w-])`, 'g')
  const shown = [toHostPattern(host), ...LEADS].reduce(
    (text, pattern) => text.replaceAll(pattern, HIDDEN),
    // A status that a gateway writes as its code: the client has ours.
    explanation.replace(/^\d{3}: /, '').replaceAll(word, () => offeredAs),
  )
  if (shown.length <= REASON_CHARS_MAX) return shown.trim()
  return `${shown.slice(0, REASON_CHARS_MAX - 1).toWellFormed()}…`
}

function toHostPattern(host: string): RegExp {
  const { hostname } = new URL(`http://${host}`)
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  const domain = escapePattern(isAddress ? hostname : hostname.split('.').slice(-2).join('.'))
  return new RegExp(`(?:[\\w.-]+\\.)?(?<![\\w-])${domain}(?![\\w-])(?::\\d+)?(?:/\\S*)?`, 'gi')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&')
}

/** Leaves out the end of a text that was cut: it may be the beginning of a key. */
function toWhole(body: Uint8Array | string, secrets: readonly string[]): string {
  const bytes = Buffer.from(body)
  if (bytes.byteLength < EXPLANATION_BYTES_MAX) return bytes.toString()
  const cutBytes = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)))
  return bytes.subarray(0, Math.max(0, EXPLANATION_BYTES_MAX - cutBytes)).toString()
}

/** Returns the text of a page, of JSON without a known reason, or of whatever else came. */
function toText(body: string): string {
  if (/^\s*</.test(body)) return body.replaceAll(/<[^>]*>/g, ' ')
  const json = parseJson(body)
  // Serialized again: its own way of writing may hide a key. JSON that was cut may write a slash as `\/`, also in a key.
  return isJsonObject(json) ? JSON.stringify(json) : body.replaceAll('\\/', '/')
}

/** Finds a service's reason: OpenAI's `error`, also in Google's list, the `detail` of this interface, a bare `message`. */
function findMessage(body: string): string | undefined {
  const parsed = parseJson(body)
  const json: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const { error, message, detail } = toJsonObject(json)
  const reason = error ?? detail ?? message
  if (typeof reason === 'string') return reason
  const problems = describeProblems(reason)
  if (problems !== undefined) return problems
  const { code, type, message: words, metadata } = toJsonObject(reason)
  // OpenRouter passes on the words of the model's own provider.
  const { raw } = toJsonObject(metadata)
  if (typeof raw === 'string') return findMessage(raw) ?? raw
  const name = typeof code === 'string' ? code : (type ?? code)
  const parts = [name, words].filter((part) => typeof part === 'string' || typeof part === 'number')
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** @param source The client's words; they may be 32 million characters. */
function hideQuotes(line: string, source: string): string {
  if (source.trim().length < QUOTE_CHARS_MIN) return line
  // The pieces below find only parts that hold a whole piece; the source as a whole is found at any place.
  let shown = line.replaceAll(source, HIDDEN)
  for (let at = 0; at + QUOTE_CHARS <= shown.length; at += QUOTE_CHARS) {
    const found = source.indexOf(shown.slice(at, at + QUOTE_CHARS))
    if (found === -1) continue
    let from = at
    let to = at + QUOTE_CHARS
    while (from > 0 && shown[from - 1] === source[found + from - at - 1]) from -= 1
    while (to < shown.length && shown[to] === source[found + to - at]) to += 1
    shown = `${shown.slice(0, from)}${HIDDEN}${shown.slice(to)}`
    at = from + HIDDEN.length - QUOTE_CHARS
  }
  return shown
}
