import { isIP } from 'node:net'
import { HIDDEN } from './explanation.ts'
import { ProviderError } from './provider.ts'

const REASON_CHARS_MAX = 300

/** Names of a provider that are not for its clients. */
export interface ProviderNames {
  host: string
  model: string
  offeredAs: string
}

/** Words that lead to a provider, into its network, or to our account there. */
const LEADS: readonly RegExp[] = [
  /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>)]+/gi,
  /[^\s@"'<>(]+@[^\s@"'<>)]+/g,
  // Paths, of files as well: one of two parts at least.
  /(?<![\w.])(?:\/[\w.~-]+){2,}/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[?(?:[\da-f]{1,4})?(?:::?[\da-f]{1,4}){3,}\]?(?::\d{1,5})?|\[?::1\b\]?(?::\d{1,5})?/gi,
  /\b(?:localhost\b(?::\d{1,5})?|[\w-]+(?:[.-][\w-]+)+:\d{2,5}\b)/gi,
  // Ids and masked keys, as OpenAI writes them.
  /\b(?:sk|pk|key|org|proj|req|acct)[-_](?=[\w*.-]*[\d*])[\w*.-]{4,}/gi,
]

/**
 * Gives a refusal that its client can mend the provider's reason, as far as a client may read it: in one line, cut,
 * without addresses, ids of our account, and the model's other name. Keys and what it quotes of the client's words are
 * left out of every explanation.
 *
 * @returns Any other error as it is.
 */
export function explainToClient(error: unknown, names: ProviderNames): unknown {
  if (!(error instanceof ProviderError) || error.code !== 'rejected') return error
  const reason = toReason(error.failure?.explanation ?? '', names)
  if (reason === '') return error
  const { code, failure } = error
  const message = `${error.message.replace(/\.$/, '')}: ${reason}`
  return new ProviderError(code, message, { failure, cause: error })
}

function toReason(explanation: string, names: ProviderNames): string {
  // JSON that nobody knows how to read may hold anything, such as the whole request.
  if (/^[[{]/.test(explanation)) return ''
  // A status that a gateway writes as its code: the client has ours.
  const words = explanation.replace(/^\d{3}: /, '')
  const shown = [toHostPattern(names.host), ...LEADS].reduce(
    (text, pattern) => text.replaceAll(pattern, HIDDEN),
    words.replaceAll(toWordPattern(names.model), () => names.offeredAs),
  )
  if (shown.length <= REASON_CHARS_MAX) return shown.trim()
  return `${shown.slice(0, REASON_CHARS_MAX - 1).toWellFormed()}…`
}

function toHostPattern(host: string): RegExp {
  const { hostname } = new URL(`http://${host}`)
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  const domain = isAddress ? hostname : hostname.split('.').slice(-2).join('.')
  return new RegExp(
    `(?:[\\w.-]+\\.)?(?<![\\w-])${escapePattern(domain)}(?![\\w-])(?::\\d+)?(?:/\\S*)?`,
    'gi',
  )
}

function toWordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapePattern(word)}(?![\\w-])`, 'g')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&')
}
