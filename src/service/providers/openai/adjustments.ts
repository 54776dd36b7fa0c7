import type { PromptMessage } from '../../../contract/prompt-message.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'

/** The upstream's name of the most tokens that an answer may have. OpenAI's newest models refuse the first. */
export type OutputLimit = 'max_tokens' | 'max_completion_tokens'

/** How a model gets its instructions, in the order of trying: in a message of their own, or before the user's first words. */
const INSTRUCTION_ROLES = ['system', 'developer', 'user'] as const

/** Fields that a request can do without. Models that think take no other value of the last four than their own. */
const SPARED = [
  'stream_options',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
] as const

/** The body of a request before it is put into a form. */
export interface AskedBody extends JsonObject {
  messages: readonly PromptMessage[]
  max_tokens: number
}

/** The form in which an upstream is asked. */
export interface RequestForm {
  readonly outputLimit: OutputLimit
  readonly instructionRole: (typeof INSTRUCTION_ROLES)[number]
  readonly without: ReadonlySet<string>
}

/** A refusal as it came, of its body at most `EXPLANATION_BYTES_MAX` bytes. */
export interface FormRefusal {
  status: number
  body: Uint8Array
}

/**
 * Learns from an upstream's refusals in which form it takes requests: the name of the limit, the role of
 * instructions, the fields that it does not know. It is remembered as long as this object lives: until a reload.
 *
 * A form counts for other requests only once the upstream has taken a request in it. So a refusal that names a
 * field for another reason, or quotes a client's words, changes nothing for anybody else.
 *
 * @param outputLimit The operator's word, which no refusal changes; undefined to find out.
 * @param fixed Names of the fields that the operator has set: they stay.
 */
export function createAdjustments({
  outputLimit,
  fixed,
}: {
  outputLimit: OutputLimit | undefined
  fixed: readonly string[]
}) {
  const spared = SPARED.filter((field) => !fixed.includes(field))
  let known: RequestForm = {
    outputLimit: outputLimit ?? 'max_tokens',
    instructionRole: 'system',
    without: new Set(),
  }
  return { current, after, taken }

  function current(): RequestForm {
    return known
  }

  /**
   * The form to ask in again after a refusal: one step further, and with what other requests have found out
   * meanwhile. No step is taken back, so a request is refused for its form eight times at most.
   *
   * @returns Undefined if the refusal is about something else.
   */
  function after(
    form: RequestForm,
    asked: AskedBody,
    refusal: FormRefusal,
  ): RequestForm | undefined {
    if (refusal.status !== 400 && refusal.status !== 422) return undefined
    for (const words of listReasons(parseReasons(refusal.body))) {
      if (!IS_UNSUPPORTED.test(words) || IS_OUT_OF_RANGE.test(words)) continue
      const next = steps(form, asked).toSorted((one, other) => one.at(words) - other.at(words))[0]
      if (next !== undefined && next.at(words) < Number.POSITIVE_INFINITY) {
        return merge(known, next.form)
      }
    }
    return undefined
  }

  function taken(form: RequestForm): void {
    if (form !== known) known = merge(known, form)
  }

  function steps(form: RequestForm, asked: AskedBody): Step[] {
    const { instructionRole, without } = form
    const left: Step[] = spared
      .filter((field) => field in asked && !without.has(field))
      .map((field) => ({
        at: finder(new RegExp(`\\b${field}\\b`)),
        form: { ...form, without: new Set([...without, field]) },
      }))
    if (outputLimit === undefined && form.outputLimit === 'max_tokens') {
      left.push({
        at: finder(/\bmax_tokens\b/),
        form: { ...form, outputLimit: 'max_completion_tokens' },
      })
    }
    const role = INSTRUCTION_ROLES[INSTRUCTION_ROLES.indexOf(instructionRole) + 1]
    if (role !== undefined && asked.messages.some(isInstruction)) {
      left.push({ at: finder(IS_OF_ROLE), form: { ...form, instructionRole: role } })
    }
    return left
  }
}

/** Puts a request into the form in which its upstream is asked. */
export function toForm(
  { messages, max_tokens, ...fields }: AskedBody,
  { outputLimit, instructionRole, without }: RequestForm,
): JsonObject {
  const body: JsonObject = {
    ...fields,
    messages: toMessages(messages, instructionRole),
    [outputLimit]: max_tokens,
  }
  for (const field of without) delete body[field]
  return body
}

interface Step {
  /** Returns where the words name it; infinity if they do not. */
  at(words: string): number
  form: RequestForm
}

/** Words of a refusal that is about a field itself, and would be the same at any value that a client gives it. */
const IS_UNSUPPORTED = new RegExp(
  [
    'unsupported|not supported|(?:does|do)(?: not|n.t) support|not enabled',
    'unrecognized|unknown|unexpected|not permitted|not allowed|extra_forbidden|deprecated',
    'does not match|input should be .user|must alternate',
    'only the default|only \\S+ is allowed|may only be|use .?max_completion_tokens',
  ].join('|'),
  'i',
)
/** Words about a value that a client may well give otherwise. */
const IS_OUT_OF_RANGE =
  /\b(?:between|range|at most|at least|(?:less|greater) than|too (?:large|small|high|low|long)|exceeds?|maximum|minimum)\b/i
const IS_OF_ROLE =
  /\b(?:system|developer)\b.{0,3} (?:role|message|prompt|instruction)|\brole\b.*\b(?:system|developer)\b|\bmessages\b.*\brole\b|\broles must alternate\b/i

function finder(pattern: RegExp): Step['at'] {
  return (words) => {
    const at = words.search(pattern)
    return at === -1 ? Number.POSITIVE_INFINITY : at
  }
}

function merge(one: RequestForm, other: RequestForm): RequestForm {
  const isLater =
    INSTRUCTION_ROLES.indexOf(one.instructionRole) >
    INSTRUCTION_ROLES.indexOf(other.instructionRole)
  return {
    outputLimit: one.outputLimit === 'max_tokens' ? other.outputLimit : one.outputLimit,
    instructionRole: isLater ? one.instructionRole : other.instructionRole,
    without: one.without.union(other.without),
  }
}

function isInstruction({ role }: PromptMessage): boolean {
  return role === 'system'
}

function toMessages(
  messages: readonly PromptMessage[],
  role: RequestForm['instructionRole'],
): readonly object[] {
  if (role === 'system') return messages
  if (role === 'developer') {
    return messages.map((message) => (isInstruction(message) ? { ...message, role } : message))
  }
  const instructions = messages.filter(isInstruction).map(({ content }) => content)
  if (instructions.length === 0) return messages
  const others = messages.filter((message) => !isInstruction(message))
  const first = others.findIndex((message) => message.role === 'user')
  if (first === -1) return [{ role, content: instructions.join('\n\n') }, ...others]
  return others.map((message, index) =>
    index === first
      ? { ...message, content: [...instructions, message.content].join('\n\n') }
      : message,
  )
}

const DEPTH_MAX = 10

function parseReasons(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString()
  if (/^\s*</.test(text)) return undefined
  return parseJson(text) ?? text
}

/**
 * Lists the reasons of a refusal, each in words with the name of its field in front: OpenAI's `error` with its
 * `param`, lists of `loc` and `msg`, and the same as a text within the text of a gateway. What they quote of the
 * request in a field of its own is left out.
 */
function* listReasons(found: unknown, depth = 0): Generator<string> {
  if (depth > DEPTH_MAX) return
  if (Array.isArray(found)) {
    for (const one of found) yield* listReasons(one, depth + 1)
  } else if (typeof found === 'string') {
    const json = parseJson(found)
    if (typeof json === 'object' && json !== null) yield* listReasons(json, depth + 1)
    else yield found
  } else if (isJsonObject(found)) {
    const { param, loc, code, type, message, msg } = found
    const path = Array.isArray(loc) ? loc.join('.') : undefined
    const words = [param, path, code, type, message, msg].filter((word) => typeof word === 'string')
    if (words.length > 0) yield words.join(' ')
    const { error, errors, detail, metadata, raw } = found
    const list = typeof message === 'string' ? [] : message
    yield* listReasons([error, errors, detail, metadata, raw, list], depth)
  }
}
