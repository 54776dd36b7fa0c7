import type { PromptMessage } from '../../../contract/prompt-message.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'

/** The upstream's name of the most tokens that an answer may have. OpenAI's newest models refuse the first. */
export type OutputLimit = 'max_tokens' | 'max_completion_tokens'

/** Fields that a request can do without. Models that think take no other value of the last four than their own. */
export const OMISSIBLE = [
  'stream_options',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
] as const
export type Omissible = (typeof OMISSIBLE)[number]

/** A change of the usual form: a field left out, the other name of the limit, or instructions as another role's. */
type Change = Omissible | 'other_limit' | 'developer' | 'user'

/** The form in which an upstream is asked. */
export interface RequestForm {
  readonly changes: ReadonlySet<Change>
  readonly limit: OutputLimit
  /** The most output tokens that the upstream states for the model. */
  readonly tokensMax?: number | undefined
  /** The most output tokens that it states for this request, of which the prompt takes the others. */
  readonly tokensLeft?: number | undefined
}

/** The body of a request before it is put into a form. */
interface AskedBody extends JsonObject {
  messages: readonly PromptMessage[]
  max_tokens: number
}

interface Refusal {
  status: number
  body: Uint8Array
}

/** Names of what a client's request asks too much of, in the words of the providers. */
const OUTPUT =
  /max_?(?:completion_|output_|new_)?tokens|maxOutputTokens|\b(?:output|completion|max(?:imum)?) tokens/i
const CONTEXT = new RegExp(
  [
    'context[_ ](?:length|window|size|limit)|exceed_context|maximum context|prompt_too_long|request_too_large',
    'maximum (?:prompt|input) length|max_prompt_tokens|string_above_max_length|range of input length',
    '\\b(?:prompt|input|request|messages?|conversation)s?\\b.{0,60}\\b(?:too (?:long|large)|exceed|longer than)',
    'too many (?:input |prompt )?tokens|reduce the length of|inputs?`? tokens \\+',
  ].join('|'),
  'i',
)
/** Places of a stated maximum. A first number that is too large is the one that was asked for. */
const MAXIMA = [
  /(?:at most|up to|less than or equal to|not exceed|<=?|≤|>)\W{0,5}(?<max>\d+)/gi,
  /\[\s*\d+\s*,\s*(?<max>\d+)\s*\]/g,
  /(?:between|from)\D{0,5}\d+\D{1,20}?(?:and|to)\D{1,5}(?<max>\d+)(?<above> \(exclusive)?/gi,
  /(?<above>less than|below)\W{1,5}(?<max>\d+)/gi,
  /(?:max|limit)[^.\d]{0,60}(?<max>\d+)/gi,
]
const IS_OF_ROLE =
  /\b(?:system|developer)\b.{0,3} (?:role|message|prompt|instruction)|\brole\b.*\b(?:system|developer)\b|\bmessages\b.*\brole\b|\broles must alternate\b/i
/** Words about a field itself, whatever its value is. */
const IS_UNSUPPORTED =
  /unsupported|not supported|n.t support|not (?:enabled|permitted|allowed)|unrecognized|unknown|unexpected|extra_forbidden|deprecated|input should be .user|must alternate|use .?max_completion_tokens/i
/** Words about a value that a client may well give otherwise. */
const IS_OUT_OF_RANGE =
  /\b(?:between|range|at most|at least|(?:less|greater) than|too (?:large|small|high|low|long)|exceeds?|maximum|minimum)\b/i
const STATUSES: ReadonlySet<number> = new Set([400, 413, 422])

/** Checks whether a refusal, or an error within a success, says that the conversation is too long for the model. */
export function isTooLong(body: string, status = 400): boolean {
  return status === 413 || (STATUSES.has(status) && findExcess(readWords(body)) === 'context')
}

/**
 * Adopts the form of requests that an upstream states in its refusals: the name of the limit and its maximum, the role
 * of instructions, fields that it refuses. It is kept for the lifetime of this object: until a reload.
 *
 * A form counts for other requests only once the upstream has taken a request in it. So a refusal that quotes a
 * client's words changes nothing for others.
 *
 * @param outputLimit The operator's word, which no refusal changes; undefined to find out.
 * @param fixed Names of the fields that the operator has set: they stay.
 */
export function createRequestForms({
  outputLimit,
  omit = [],
  fixed,
}: {
  outputLimit: OutputLimit | undefined
  omit?: readonly Omissible[] | undefined
  fixed: readonly string[]
}) {
  const limit = outputLimit ?? 'max_tokens'
  let known: RequestForm = { changes: new Set<Change>(omit), limit }
  return { current, after, taken }

  function current(): RequestForm {
    return known
  }

  function taken({ changes, tokensMax }: RequestForm): void {
    known = merge(known, changes, tokensMax)
  }

  /** Returns the form to ask in again: one change further, and with those that other requests found meanwhile. */
  function after(form: RequestForm, asked: AskedBody, refusal: Refusal): RequestForm | undefined {
    const { status } = refusal
    if (!STATUSES.has(status)) return undefined
    const words = readWords(Buffer.from(refusal.body).toString())
    const excess = findExcess(words)
    if (excess === 'context') return undefined
    if (excess === 'output') {
      const limited = toLimited(form, words, getTokens(asked, form))
      if (limited !== undefined) return limited
    }
    if (status === 413 || IS_OUT_OF_RANGE.test(words)) return undefined
    const isUnsupported = IS_UNSUPPORTED.test(words)
    const found = listChanges(form, asked)
      .filter(([change]) => isUnsupported || change in asked)
      .map(([change, pattern]) => ({ change, at: words.search(pattern) }))
      .filter(({ at }) => at !== -1)
      .toSorted((one, other) => one.at - other.at)[0]
    if (found === undefined) return undefined
    const changes = form.changes.union(new Set([found.change]))
    return { ...merge(known, changes, form.tokensMax), tokensLeft: form.tokensLeft }
  }

  /** Lists the changes that are left, each with the words that ask for it. */
  function listChanges({ changes }: RequestForm, asked: AskedBody): [Change, RegExp][] {
    const left: [Change, RegExp][] = OMISSIBLE.filter(
      (field) => field in asked && !fixed.includes(field),
    ).map((field) => [field, new RegExp(`\\b${field}\\b`)])
    if (outputLimit === undefined) left.push(['other_limit', /\bmax_(?:completion_)?tokens\b/])
    if (asked.messages.some(isInstruction)) {
      left.push([changes.has('developer') ? 'user' : 'developer', IS_OF_ROLE])
    }
    return left.filter(([change]) => !changes.has(change))
  }
}

/** Puts a request into the form in which its upstream is asked. */
export function toBody(asked: AskedBody, form: RequestForm): JsonObject {
  const { messages, max_tokens: _, ...fields } = asked
  const { changes, limit } = form
  const other = limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const body: JsonObject = {
    ...fields,
    messages: toMessages(messages, changes),
    [changes.has('other_limit') ? other : limit]: getTokens(asked, form),
  }
  for (const field of OMISSIBLE) if (changes.has(field)) delete body[field]
  return body
}

function getTokens({ max_tokens }: AskedBody, form: RequestForm): number {
  const { tokensMax = max_tokens, tokensLeft = max_tokens } = form
  return Math.min(max_tokens, tokensMax, tokensLeft)
}

/** Lowers the tokens of a request, once. A stated maximum of zero, or above what was asked, says nothing. */
function toLimited(form: RequestForm, words: string, tokens: number): RequestForm | undefined {
  if (form.tokensLeft !== undefined) return undefined
  const text = words.replaceAll(/(?<=\d)[,_\u00a0](?=\d{3}\b)/g, '')
  const [, context, prompt] = / > (\d+) - (\d+)/.exec(text) ?? []
  const left = Number(context) - Number(prompt)
  if (left >= 1 && left < tokens) return { ...form, tokensLeft: left }
  const stated = MAXIMA.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups: { max, above } = {} }) => Number(max) - (above === undefined ? 0 : 1))
    .find((max) => max >= 1 && max < tokens)
  return stated === undefined ? undefined : { ...form, tokensMax: stated, tokensLeft: stated }
}

function findExcess(words: string): 'output' | 'context' | undefined {
  const output = words.search(OUTPUT)
  const context = words.search(CONTEXT)
  if (context !== -1 && (output === -1 || context <= output)) return 'context'
  return output === -1 ? undefined : 'output'
}

function merge(
  known: RequestForm,
  changes: ReadonlySet<Change>,
  tokensMax = Number.POSITIVE_INFINITY,
): RequestForm {
  return {
    ...known,
    changes: known.changes.union(changes),
    tokensMax: Math.min(tokensMax, known.tokensMax ?? Number.POSITIVE_INFINITY),
  }
}

function isInstruction({ role }: PromptMessage): boolean {
  return role === 'system'
}

function toMessages(
  messages: readonly PromptMessage[],
  changes: ReadonlySet<Change>,
): readonly object[] {
  if (!changes.has('developer')) return messages
  if (!changes.has('user')) {
    const role = 'developer'
    return messages.map((message) => (isInstruction(message) ? { ...message, role } : message))
  }
  const instructions = messages.filter(isInstruction).map(({ content }) => content)
  if (instructions.length === 0) return messages
  const others = messages.filter((message) => !isInstruction(message))
  const first = others.findIndex((message) => message.role === 'user')
  if (first === -1) return [{ role: 'user', content: instructions.join('\n\n') }, ...others]
  return others.map((message, index) =>
    index === first
      ? { ...message, content: [...instructions, message.content].join('\n\n') }
      : message,
  )
}

const DEPTH_MAX = 10
/** Fields in which a refusal quotes the request. */
const QUOTES: ReadonlySet<string> = new Set(['input', 'messages', 'request', 'body'])

/** Reads the words of a refusal, also from a JSON text within it. A page has none. */
function readWords(body: string, depth = 0): string {
  if (/^\s*</.test(body) || depth > DEPTH_MAX) return ''
  const json = parseJson(body)
  return typeof json === 'object' && json !== null ? joinWords(json, depth + 1) : body
}

function joinWords(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) return ''
  if (typeof value === 'string') return readWords(value, depth)
  if (Array.isArray(value)) return value.map((one) => joinWords(one, depth + 1)).join(' ')
  if (!isJsonObject(value)) return ''
  const fields = Object.entries(value).filter(([name]) => !QUOTES.has(name))
  return fields.map(([, field]) => joinWords(field, depth + 1)).join(' ')
}
