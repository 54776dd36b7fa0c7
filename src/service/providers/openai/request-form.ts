import type { PromptMessage } from '../../../contract/openai.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { ProviderFailure } from '../failure.ts'

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

/** The form in which an upstream is asked: fields left out or replaced, and the most output tokens. */
export interface RequestForm {
  readonly changes: ReadonlySet<Omissible | 'system' | 'limit'>
  /** The maximum that the upstream states for the model. */
  readonly tokensMax: number
  /** The maximum that it states for this request alone; set once. */
  readonly tokensLeft?: number | undefined
}

interface AskedBody extends JsonObject {
  messages: readonly PromptMessage[]
  max_tokens: number
}

/** Names of what a request asks too much of, in the words of the providers. */
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
/** Places of a stated maximum; `above` if it is the first number that is too large. */
const MAXIMA = [
  /(?:at most|up to|less than or equal to|not exceed|<=?|≤|>)\W{0,5}(?<max>\d+)/gi,
  /\[\s*\d+\s*,\s*(?<max>\d+)\s*\]/g,
  /(?:between|from)\D{0,5}\d+\D{1,20}?(?:and|to)\D{1,5}(?<max>\d+)(?<above> \(exclusive)?/gi,
  /(?<above>less than|below)\W{1,5}(?<max>\d+)/gi,
  /(?:max|limit)[^.\d]{0,60}(?<max>\d+)/gi,
]
/** Words about a value that a client may well give otherwise. */
const IS_OUT_OF_RANGE =
  /\b(?:between|range|at most|at least|(?:less|greater) than|too (?:large|small|high|low|long)|exceeds?|maximum|minimum)\b/i
/** Words about a field itself, whatever its value is. */
const IS_UNSUPPORTED =
  /unsupported|not supported|n.t support|not (?:enabled|permitted|allowed)|unrecognized|unknown|unexpected|extra_forbidden|deprecated|input should be .user|must alternate|use .?max_completion_tokens/i
const OF_SYSTEM =
  /\b(?:system|developer)\b.{0,3} (?:role|message|prompt|instruction)|\brole\b.*\b(?:system|developer)\b|\bmessages\b.*\brole\b|\broles must alternate\b/i

/** Checks whether a failure is about a conversation that is too long. */
export function isTooLong({ status = 400, explanation = '' }: ProviderFailure): boolean {
  return status === 413 || (isAboutForm(status) && findExcess(explanation) === 'context')
}

interface DeclaredForm {
  outputLimit?: OutputLimit | undefined
  omit?: readonly Omissible[] | undefined
  body?: Readonly<JsonObject> | undefined
}

/**
 * Adopts the form of requests that an upstream states in its refusals, until a reload. A form counts for other requests
 * once the upstream took a request in it: a refusal that quotes a client's words changes nothing for others.
 */
export class RequestForms {
  readonly #declared: DeclaredForm
  current: RequestForm

  constructor(declared: DeclaredForm) {
    this.#declared = declared
    this.current = { changes: new Set(declared.omit), tokensMax: Number.POSITIVE_INFINITY }
  }

  taken(form: RequestForm): void {
    const known = this.current
    if (form === known) return
    const changes = known.changes.union(form.changes)
    this.current = { changes, tokensMax: Math.min(known.tokensMax, form.tokensMax) }
  }

  /** Returns the form to ask in again, one change further; undefined if the refusal is about something else. */
  after(
    form: RequestForm,
    asked: AskedBody,
    { status = 0, explanation = '' }: ProviderFailure,
  ): RequestForm | undefined {
    const excess = findExcess(explanation)
    if (!isAboutForm(status) || excess === 'context') return undefined
    const limited = excess === 'output' ? toLimited(form, explanation, asked.max_tokens) : undefined
    if (limited !== undefined || IS_OUT_OF_RANGE.test(explanation)) return limited
    const [found] = this.#listChanges(asked, IS_UNSUPPORTED.test(explanation))
      .map(([change, pattern]) => ({ change, at: explanation.search(pattern) }))
      .filter(({ change, at }) => at !== -1 && !form.changes.has(change))
      .toSorted((one, other) => one.at - other.at)
    const known = this.current.changes
    return found && { ...form, changes: new Set([...form.changes, ...known, found.change]) }
  }

  toBody({ messages, max_tokens, ...fields }: AskedBody, form: RequestForm): JsonObject {
    const { changes, tokensMax, tokensLeft = max_tokens } = form
    const learnt = changes.has('limit') ? 'max_completion_tokens' : 'max_tokens'
    const body: JsonObject = {
      ...fields,
      messages: changes.has('system') ? withoutSystem(messages) : messages,
      [this.#declared.outputLimit ?? learnt]: Math.min(max_tokens, tokensMax, tokensLeft),
    }
    for (const field of OMISSIBLE) if (changes.has(field)) delete body[field]
    return body
  }

  /** Lists the possible changes, each with the words that ask for it. */
  #listChanges(asked: AskedBody, isUnsupported: boolean) {
    const { body = {}, outputLimit } = this.#declared
    const changes: ['system' | 'limit' | Omissible, RegExp][] = OMISSIBLE.filter(
      (field) => field in asked && !(field in body),
    ).map((field) => [field, new RegExp(`\\b${field}\\b`)])
    if (isUnsupported && outputLimit === undefined) changes.push(['limit', OUTPUT])
    if (isUnsupported && asked.messages.some(isInstruction)) changes.push(['system', OF_SYSTEM])
    return changes
  }
}

/** Lowers the tokens of a request, once. A stated maximum of zero, or not below what was asked, says nothing. */
function toLimited(form: RequestForm, words: string, asked: number): RequestForm | undefined {
  if (form.tokensLeft !== undefined) return undefined
  const tokens = Math.min(asked, form.tokensMax)
  const text = words.replaceAll(/(?<=\d)[,_\u00a0](?=\d{3}\b)/g, '')
  // vLLM: what the prompt leaves of the context.
  const [, context, prompt] = / > (\d+) - (\d+)/.exec(text) ?? []
  const left = Number(context) - Number(prompt)
  if (left >= 1 && left < tokens) return { ...form, tokensLeft: left }
  const stated = MAXIMA.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups: { max, above } = {} }) => Number(max) - (above === undefined ? 0 : 1))
    .find((max) => max >= 1 && max < tokens)
  return stated === undefined ? undefined : { ...form, tokensMax: stated, tokensLeft: stated }
}

function isAboutForm(status: number): boolean {
  return status === 400 || status === 413 || status === 422
}

/** Finds what there is too much of: whichever is named first. */
function findExcess(words: string): 'output' | 'context' | undefined {
  const output = words.search(OUTPUT)
  const context = words.search(CONTEXT)
  if (context !== -1 && (output === -1 || context <= output)) return 'context'
  return output === -1 ? undefined : 'output'
}

function isInstruction({ role }: PromptMessage): boolean {
  return role === 'system'
}

function withoutSystem(messages: readonly PromptMessage[]): readonly object[] {
  const instructions = messages.filter(isInstruction).map(({ content }) => content)
  if (instructions.length === 0) return messages
  const others = messages.filter((message) => !isInstruction(message))
  const first = others.findIndex(({ role }) => role === 'user')
  const { content } = others[first] ?? {}
  const words = [...instructions, ...(content ? [content] : [])].join('\n\n')
  return others.toSpliced(Math.max(0, first), first === -1 ? 0 : 1, {
    ...(others[first] as PromptMessage & { role: 'user' }),
    role: 'user',
    content: words,
  })
}
