import {
  isJsonObject,
  type JsonObject,
  parseJson,
  toJsonObject,
} from '../../../platform/http/json.ts'
import { type FailureKind, IS_OUT_OF_MONEY, judgeStatus, toFailureKind } from '../failure.ts'
import type { AnswerPiece, FinishReason, ProviderUsage, ToolCallPiece } from '../provider.ts'
import { isCount, isMissing, UsageReader } from './usage.ts'

/** The ends of an answer, by the first row that finds a provider's word for it; any other word is `stop`. */
const ENDS: readonly (readonly [RegExp, FinishReason | 'error'])[] = [
  [
    /filter|safety|recitation|prohibit|block|spii|sensitive|refus|moderat|policy|toxic|guardrail|language/,
    'content_filter',
  ],
  [
    /error|fail|malformed|unexpected|too_many|missing|abort|cancel|timeout|overload|unavailable|insufficient/,
    'error',
  ],
  [/length|limit|max|truncat|context/, 'length'],
  [/tool|function/, 'tool_calls'],
]

const REASONING_FIELDS =
  'reasoning_content reasoning reasoning_text thinking thought reasoning_details thinking_blocks'.split(
    ' ',
  )
/** Kinds of parts, by the first row that matches their type; parts of other types are skipped. */
const PARTS: readonly (readonly [RegExp, keyof Words | 'same'])[] = [
  [/^(?:text|output_text|input_text)$/, 'same'],
  [/think|thought|reason|^summary/, 'reasoning'],
  [/^refusal$/, 'refusal'],
]
const PART_FIELDS = ['text', 'thinking', 'reasoning', 'refusal', 'summary', 'content', 'value']
const PART_DEPTH_MAX = 6

/** A shorter text may come twice by chance. */
const REPEAT_CHARS_MIN = 20
const CALLS_MAX = 1000

export interface StatedFailure {
  kind: FailureKind
  isRejected: boolean
}

interface Words {
  text: string
  reasoning: string
  refusal: string
}

const OVERLOADED: StatedFailure = { kind: 'overloaded', isRejected: false }

/** Reads one answer of an OpenAI-compatible provider, however the provider writes it. Everything after it is strict. */
export class AnswerReader {
  finishReason: FinishReason | undefined
  readonly #usage = new UsageReader()
  readonly #splitter = new ThoughtSplitter()
  readonly #said = { text: '', reasoning: '' }
  #hasDeltas = false
  /** The ids of calls by their index. */
  readonly #calls: string[] = []

  get usage(): ProviderUsage | undefined {
    return this.#usage.usage
  }

  get hasAnswer(): boolean {
    return this.#said.text !== '' || this.#calls.length > 0
  }

  /** Reads an event, or a whole completion. @throws {SyntaxError} It cannot be read. */
  read(data: string, isError = false): AnswerPiece | StatedFailure | undefined {
    const parsed = parseJson(data)
    // Gemini puts an error into a list.
    const json: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    if (!isJsonObject(json)) {
      if (isError) return OVERLOADED
      throw new SyntaxError('Cannot read answer: not a JSON object')
    }
    const choice = findChoice(json.choices)
    const error = findError(json, choice) ?? (isError ? json : undefined)
    if (error !== undefined) return judgeError(error)
    this.#usage.read(json, choice)
    if (choice === undefined) return undefined
    return this.#readEnd(choice) === 'error' ? OVERLOADED : this.#readPiece(choice)
  }

  /** Returns the text that was held back as the possible beginning of a tag. */
  readEnd(): AnswerPiece | undefined {
    return toPiece({ ...this.#splitter.read('', true), refusal: '' })
  }

  #readEnd({ finish_reason, finishReason, native_finish_reason }: JsonObject) {
    const given = finish_reason ?? finishReason
    const word = isJsonObject(given) ? given.type : given
    const native = findEnd(native_finish_reason)
    const reason = findEnd(word)
    if (native === 'error' || reason === 'error') return 'error'
    this.finishReason ??= native === 'content_filter' ? native : reason
    return this.finishReason
  }

  #readPiece(choice: JsonObject): AnswerPiece | undefined {
    const delta = readHolder(choice.delta)
    const isDelta = delta.calls.length > 0 || Object.values(delta.words).some(Boolean)
    const { words, calls } = isDelta ? delta : readHolder(choice.message ?? choice.text)
    const text = this.#toNew('text', words.text + words.refusal, isDelta)
    const split = this.#splitter.read(text)
    const reasoning = this.#toNew('reasoning', words.reasoning, isDelta) + split.reasoning
    const isRepeated = !isDelta && this.#calls.length > 0
    const toolCalls = isRepeated ? [] : calls.map((call, index) => this.#toCall(call, index))
    this.#hasDeltas ||= isDelta
    const refusal = text === '' ? '' : words.refusal
    return toPiece({ text: split.text, reasoning, refusal }, toolCalls)
  }

  /** Returns the words, unless they were read before: some providers repeat the whole message at the end. */
  #toNew(name: 'text' | 'reasoning', words: string, isDelta: boolean): string {
    const said = this.#said[name]
    const isLast = this.finishReason !== undefined
    const isRepeated = isLast && words === said && words.length >= REPEAT_CHARS_MIN
    if (isRepeated || (!isDelta && this.#hasDeltas && said !== '')) return ''
    this.#said[name] += words
    return words
  }

  #toCall(call: unknown, position: number): ToolCallPiece {
    const called = isJsonObject(call) ? (call.function ?? {}) : undefined
    if (!isJsonObject(call) || !isJsonObject(called)) {
      throw new SyntaxError('Cannot read answer: a tool call is not one')
    }
    const { name, arguments: given, ...written }: JsonObject & ToolCallPiece['function'] = called
    const args: unknown = isJsonObject(given) ? JSON.stringify(given) : given
    for (const [field, value] of [['name', name] as const, ['arguments', args] as const]) {
      if (typeof value === 'string') written[field] = value
      else if (!isMissing(value))
        throw new SyntaxError(`Cannot read answer: ${field} is not a text`)
    }
    return { ...call, index: this.#toIndex(call, position), function: written }
  }

  /** Some providers give no index, or the same one to several calls. */
  #toIndex({ index, id }: JsonObject, position: number): number {
    const given = isCount(index) && index < CALLS_MAX ? index : position
    if (typeof id !== 'string' || id === '') {
      this.#calls[given] ??= ''
      return given
    }
    const known = this.#calls.indexOf(id)
    if (known !== -1) return known
    const next = this.#calls[given] ? this.#calls.length : given
    this.#calls[next] = id
    return next
  }
}

function toPiece(
  { text, reasoning, refusal }: Words,
  toolCalls: readonly ToolCallPiece[] = [],
): AnswerPiece | undefined {
  if (text === '' && reasoning === '' && toolCalls.length === 0) return undefined
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    ...(refusal !== '' && { refusal }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

function findChoice(choices: unknown): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined
  return choices.find((one) => isJsonObject(one) && Number(one.index ?? 0) === 0)
}

function findEnd(reason: unknown): FinishReason | 'error' | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined
  const word = reason
    .toLowerCase()
    .replaceAll(/[\s-]/g, '_')
    .replace(/^finish_reason_/, '')
  return ENDS.find(([pattern]) => pattern.test(word))?.[1] ?? 'stop'
}

function readHolder(holder: unknown): { words: Words; calls: readonly unknown[] } {
  const words = { text: '', reasoning: '', refusal: '' }
  const fields: JsonObject = typeof holder === 'string' ? { content: holder } : toJsonObject(holder)
  const { content, refusal, tool_calls, function_call } = fields
  addWords(words, content, 'text')
  addWords(words, refusal, 'refusal')
  for (const field of REASONING_FIELDS) {
    if (words.reasoning === '') addWords(words, fields[field], 'reasoning')
  }
  const calls = isJsonObject(function_call) ? [{ function: function_call }] : (tool_calls ?? [])
  if (!Array.isArray(calls)) throw new SyntaxError('Cannot read answer: tool_calls is not a list')
  return { words, calls }
}

/** @throws {SyntaxError} If the content is a number or the like. */
function addWords(words: Words, value: unknown, kind: keyof Words, depth = 0): void {
  if (isMissing(value) || depth > PART_DEPTH_MAX) return
  if (typeof value === 'string') words[kind] += value
  else if (Array.isArray(value)) for (const part of value) addWords(words, part, kind, depth + 1)
  else if (isJsonObject(value)) {
    const { type = 'text', thought } = value
    const known = PARTS.find(([pattern]) => pattern.test(String(type)))?.[1]
    const field = PART_FIELDS.find((name) => !isMissing(value[name]) && value[name] !== '')
    if (known === undefined || field === undefined) return
    const own = thought === true ? 'reasoning' : known
    addWords(words, value[field], own === 'same' ? kind : own, depth + 1)
  } else if (depth === 0 && kind === 'text') {
    throw new SyntaxError('Cannot read answer: content is not a text')
  }
}

/** Finds the error that a provider states within a success, in any of the known places. */
function findError(json: JsonObject, choice: JsonObject | undefined): unknown {
  const { base_resp: response } = json
  const found = json.error || choice?.error
  if (found) return found
  if (isJsonObject(response) && response.status_code) return response
  if (choice !== undefined) return undefined
  const { type, object, status, success, code, detail, message, msg, error_msg, errors } = json
  const isNamed = [type, object, status].includes('error') || success === false
  const isWorded = [detail, message, msg, error_msg, errors].some(
    (words) => (typeof words === 'string' || Array.isArray(words)) && words.length > 0,
  )
  return isNamed || isWorded || Number(code) >= 400 ? json : undefined
}

/** Gateways put an HTTP status into `code`; OpenAI itself has words there, and in `type`. */
function judgeError(error: unknown): StatedFailure {
  if (!isJsonObject(error)) return OVERLOADED
  const { type, code, status: state } = error
  const status = [code, state, error.status_code].map(Number).find((one) => one >= 400 && one < 600)
  if (status !== undefined) {
    return { kind: toFailureKind(status), isRejected: judgeStatus(status) === 'rejected' }
  }
  const words = [code, type, state].map(String)
  if (words.some((word) => IS_OUT_OF_MONEY.test(word)))
    return { kind: 'unauthorized', isRejected: false }
  if (type === 'invalid_request_error') return { kind: 'refused', isRejected: true }
  const isLimit = words.some((word) => /rate_limit|resource_exhausted/i.test(word))
  return isLimit ? { kind: 'rate_limited', isRejected: false } : OVERLOADED
}

const OPEN = /^\s*(?:<(?:think|thinking|thought)>|\[think\])/i
const CLOSE = /<\/(?:think|thinking|thought)>|\[\/think\]/i
const MAY_OPEN = /^\s*(?:<[a-z]{0,8}|\[[a-z]{0,5})?$/i
const MAY_CLOSE = /(?:<(?:\/[a-z]{0,8})?|\[(?:\/[a-z]{0,5})?)$/i
const TAG_CHARS_MAX = 11
/** Blanks that are held back; more of them are text. */
const BLANKS_MAX = 1000

/** Splits a text that begins with a thought in tags, however both are cut into pieces. */
class ThoughtSplitter {
  #state: 'start' | 'thought' | 'text' = 'start'
  #held = ''
  #hasThought = false

  /** @param isEnd True if nothing follows: the text that was held back is returned. */
  read(words: string, isEnd = false): { text: string; reasoning: string } {
    if (this.#state === 'text') return { text: words, reasoning: '' }
    let rest = this.#held + words
    let reasoning = ''
    for (;;) {
      if (this.#state === 'start') {
        if (this.#hasThought) rest = rest.trimStart()
        const [open] = OPEN.exec(rest) ?? []
        if (open === undefined) return { text: this.#readText(rest, isEnd), reasoning }
        this.#state = 'thought'
        rest = rest.slice(open.length).trimStart()
      }
      if (!this.#hasThought) rest = rest.trimStart()
      const close = CLOSE.exec(rest)
      if (close === null) {
        const shown = isEnd ? rest : withoutEnd(rest)
        this.#held = rest.slice(shown.length)
        this.#hasThought ||= shown !== ''
        return { text: '', reasoning: reasoning + shown }
      }
      reasoning += rest.slice(0, close.index).trimEnd()
      rest = rest.slice(close.index + close[0].length)
      this.#state = 'start'
      this.#hasThought = true
    }
  }

  #readText(text: string, isEnd: boolean): string {
    const isOpening = !isEnd && text.length <= BLANKS_MAX && MAY_OPEN.test(text)
    this.#held = isOpening ? text : ''
    if (!isOpening && text !== '') this.#state = 'text'
    return isOpening ? '' : text
  }
}

/** The end of a thought may be the beginning of its tag, and blanks before the tag are not shown. */
function withoutEnd(thought: string): string {
  const [tag = ''] = MAY_CLOSE.exec(thought.slice(-TAG_CHARS_MAX)) ?? []
  const shown = thought.slice(0, thought.length - tag.length).trimEnd()
  return thought.length - shown.length > BLANKS_MAX ? thought : shown
}
