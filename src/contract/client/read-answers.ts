/** Tolerant readers of a service's JSON. Each returns undefined for JSON that it does not understand, never a guess. */
import { isJsonObject, type JsonObject, toJsonObject } from '../../platform/http/json.ts'
import { fromWireRub, parseRub } from '../money.ts'
import { TASK_STATUSES } from '../tasks.ts'

export interface Usage {
  promptTokens: number
  cachedPromptTokens?: number | undefined
  completionTokens: number
}

export interface CompletionFacts {
  /** Empty if the service sent none. */
  requestId: string
  finishReason: string
  usage?: Usage | undefined
  /** Final cost after settlement. Missing when the service sent none: the caller estimates. */
  costMicroRub?: bigint | undefined
}

export type TaskState =
  | { status: 'waiting' | 'queuing' | 'generating' }
  /** `resultUrls` has at least one link. */
  | { status: 'success'; resultUrls: string[] }
  /** `code` is 0 and `message` empty when the service sent none. */
  | { status: 'fail'; code: number; message: string }

export interface ModelInfo {
  id: string
  contextTokens?: number | undefined
  promptMicroRubPer1m?: bigint | undefined
  cachedPromptMicroRubPer1m?: bigint | undefined
  completionMicroRubPer1m?: bigint | undefined
  thinkingTokens?: number | undefined
}

// The interface document shows no shape for models and balance: these are likely names, the likeliest first.
const LIST_NAMES = ['models', 'items', 'list']
const ID_NAMES = ['id', 'model', 'model_id', 'identifier', 'name']
const CONTEXT_NAMES = ['tokens', 'length', 'window', 'size'].map((word) => `context_${word}`)
CONTEXT_NAMES.push('max_context_tokens', 'context')
const PRICE_GROUP_NAMES = ['prices', 'pricing', 'price', 'prices_rub']
const PROMPT_PRICE_NAMES = priceNames(['prompt', 'input', 'in'])
const CACHED_PROMPT_PRICE_NAMES = priceNames(['cached_prompt', 'cached_input'])
const COMPLETION_PRICE_NAMES = priceNames(['completion', 'output', 'out'])
const BALANCE_NAMES = ['balance_rub', 'balance', 'amount_rub', 'amount', 'rub', 'balance_coins']
const SECRET_NAMES = ['secret', 'callback_secret', 'secret_key', 'key', 'value']
/** Names that hold the whole answer one level deeper. */
const WRAPPER_NAMES = ['data', 'result', 'response', 'account']
const NESTING_MAX = 4

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,30})?$/

/** Reads `usage`. Negative and fractional counts are not usage. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = toJsonObject(value)
  const promptTokens = readCount(usage.prompt_tokens)
  const completionTokens = readCount(usage.completion_tokens)
  if (promptTokens === undefined || completionTokens === undefined) return undefined
  const cachedPromptTokens = readCount(toJsonObject(usage.prompt_tokens_details).cached_tokens)
  return { promptTokens, cachedPromptTokens, completionTokens }
}

/** Reads the final cost: `cost_rub`, or its old alias where only that is sent. */
export function readCost(json: JsonObject): bigint | undefined {
  return firstOf(json, ['cost_rub', 'cost_coins'], readPriceRub)
}

export function readTaskId(json: unknown): number | undefined {
  return readCount(toJsonObject(json).task_id)
}

/** Reads a task. A success without a link is not understood: there would be nothing to deliver. */
export function readTask(json: unknown): TaskState | undefined {
  const { status: given, result_urls: urls, error } = toJsonObject(json)
  const status = TASK_STATUSES.find((known) => known === given)
  if (status === 'success') {
    const resultUrls = Array.isArray(urls) ? urls.filter((url) => readText(url) !== undefined) : []
    return resultUrls.length === 0 ? undefined : { status, resultUrls }
  }
  if (status !== 'fail') return status && { status }
  const { code, message = error } = toJsonObject(error)
  const known = Number.isSafeInteger(code) ? Number(code) : 0
  return { status, code: known, message: readText(message) ?? '' }
}

/** Reads the chat models: a bare array or one under a known name, of objects or of bare ids. */
export function readModels(json: unknown): ModelInfo[] | undefined {
  const list = findLeaf(json, LIST_NAMES)
  if (!Array.isArray(list)) return undefined
  const models = list.flatMap(readModel)
  return models.length === 0 && list.length > 0 ? undefined : models
}

/** Reads the prices of tasks by their labels, all of them: a label that is missing is not offered. */
export function readPrices(json: unknown): ReadonlyMap<string, bigint> | undefined {
  const labels = toJsonObject(json).prices_rub
  if (!isJsonObject(labels)) return undefined
  const prices = new Map<string, bigint>()
  for (const [label, rub] of Object.entries(labels)) {
    const microRub = readPriceRub(rub)
    if (microRub === undefined) return undefined
    prices.set(label, microRub)
  }
  return prices
}

export function readBalance(json: unknown): bigint | undefined {
  return readRub(findLeaf(json, BALANCE_NAMES))
}

export function readCallbackSecret(json: unknown): string | undefined {
  return readText(findLeaf(json, SECRET_NAMES))
}

export interface TaskEnd {
  taskId: number
  state: Extract<TaskState, { status: 'success' | 'fail' }>
}

/** Reads the body of a callback. Its error is a text; a task's is an object. */
export function readCallback(json: unknown): TaskEnd | undefined {
  const taskId = readTaskId(json)
  const { code, error: message, ...task } = toJsonObject(json)
  const state = readTask({ ...task, error: { code, message } })
  const isEnd = state?.status === 'success' || state?.status === 'fail'
  return taskId === undefined || !isEnd ? undefined : { taskId, state }
}

function readModel(entry: unknown): ModelInfo[] {
  if (typeof entry === 'string') return entry === '' ? [] : [{ id: entry }]
  if (!isJsonObject(entry)) return []
  const id = firstOf(entry, ID_NAMES, readText)
  if (id === undefined) return []
  const group = firstOf(entry, PRICE_GROUP_NAMES, (found) =>
    isJsonObject(found) ? found : undefined,
  )
  const priced = { ...entry, ...group }
  return [
    {
      id,
      // A context of 0 means that it is unknown.
      contextTokens: firstOf(entry, CONTEXT_NAMES, readCount) || undefined,
      promptMicroRubPer1m: firstOf(priced, PROMPT_PRICE_NAMES, readPriceRub),
      cachedPromptMicroRubPer1m: firstOf(priced, CACHED_PROMPT_PRICE_NAMES, readPriceRub),
      completionMicroRubPer1m: firstOf(priced, COMPLETION_PRICE_NAMES, readPriceRub),
      thinkingTokens: readCount(entry.thinking_tokens),
    },
  ]
}

function findLeaf(json: unknown, names: readonly string[]): unknown {
  let value = json
  for (let depth = 0; depth < NESTING_MAX && isJsonObject(value); depth++) {
    value = firstOf(value, [...names, ...WRAPPER_NAMES], (found) => found ?? undefined)
  }
  return value
}

/** Prices are always roubles per 1 million tokens, however the field is called (interface document, Billing rules). */
function priceNames(directions: readonly string[]): string[] {
  const shapes = ['*_rub_per_1m', '*_per_1m', '*_price_rub', '*_price', 'price_*', '*_rub', '*']
  return shapes.flatMap((shape) => directions.map((direction) => shape.replace('*', direction)))
}

export function firstOf<T>(
  object: JsonObject,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? read(object[name]) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads a whole number ≥ 0, also from a string of digits. */
function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

/** Reads roubles from a number or a decimal string, to the nearest micro-rouble. */
function readRub(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? fromWireRub(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return parseRub(text) ?? (DECIMAL.test(text) ? fromWireRub(Number(text)) : undefined)
}

function readPriceRub(value: unknown): bigint | undefined {
  const microRub = readRub(value)
  return microRub !== undefined && microRub >= 0n ? microRub : undefined
}
