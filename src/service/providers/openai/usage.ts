import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import type { Usage } from '../provider.ts'

/** The names that providers give to each count, the most exact first. A point leads into an object. */
const NAMES = {
  prompt: 'prompt_tokens input_tokens promptTokenCount prompt_eval_count promptTokens inputTokens',
  completion:
    'completion_tokens output_tokens candidatesTokenCount eval_count completionTokens outputTokens',
  total: 'total_tokens totalTokenCount totalTokens',
  reasoning:
    'completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens reasoning_tokens thoughtsTokenCount',
  cached:
    'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cached_tokens prompt_cache_hit_tokens cache_read_input_tokens cachedContentTokenCount',
  missed: 'prompt_cache_miss_tokens',
  written:
    'prompt_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens cache_creation_input_tokens cache_write_tokens',
  // Anthropic's own input has no cached tokens in it, whatever the sums are.
  apart: 'cache_read_input_tokens cache_creation_input_tokens',
} as const
const PATHS = Object.entries(NAMES).map(
  ([count, names]) => [count, names.split(' ').map((name) => name.split('.'))] as const,
)

type Counts = { [count in keyof typeof NAMES | 'costUsd']?: number | undefined }

/** Which parts may be counted beside the sums: reasoning, cached input, cache writes. */
const BESIDE: readonly (readonly [number, number, number])[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [0, 1, 1],
  [1, 1, 0],
  [1, 0, 1],
  [1, 1, 1],
]

/** Collects the usage of one answer: the last complete report wins, incomplete ones add up to one. */
export class UsageReader {
  #counts: Counts = {}

  /** Returns the usage with cached tokens in the prompt and reasoning in the completion. */
  get usage(): Usage | undefined {
    const { cached, missed, total, costUsd } = this.#counts
    const known = this.#counts.completion
    const rest = missed === undefined ? minus(total, known) : missed + (cached ?? 0)
    const { prompt = rest } = this.#counts
    const { completion = minus(total, prompt) } = this.#counts
    if (prompt === undefined || completion === undefined) return undefined
    const { written, reasoning } = this.#counts
    const beside = findBeside({ ...this.#counts, prompt, completion })
    const { hidden = 0 } = beside
    return {
      promptTokens: prompt + beside.input,
      ...(cached !== undefined && { cachedTokens: cached }),
      ...(isCount(written) && { cacheWriteTokens: written }),
      completionTokens: completion + beside.output + hidden,
      ...((isCount(reasoning) || hidden > 0) && { reasoningTokens: toCount(reasoning) + hidden }),
      ...(costUsd !== undefined && { reportedCostUsd: costUsd }),
    }
  }

  /** @param choice The choice that is read of it. */
  read(json: JsonObject, choice: JsonObject = {}): void {
    for (const [name, value] of Object.entries(json)) {
      if (name.startsWith('x_') && isJsonObject(value)) this.#add(value, value.usage)
    }
    if ('eval_count' in json || 'prompt_eval_count' in json) this.#add(json)
    this.#add(enter(choice.delta, 'usage'), enter(choice.message, 'usage'), choice.usage)
    this.#add(json.usage_metadata, json.usageMetadata, json.usage)
  }

  #add(...reports: unknown[]): void {
    for (const report of reports.filter(isJsonObject)) {
      const counts = readCounts(report)
      const { prompt, completion, total, costUsd = this.#counts.costUsd } = counts
      const isComplete = prompt !== undefined && (completion ?? total) !== undefined
      const isPart = !isComplete && (prompt ?? completion) !== undefined
      const before = isComplete ? {} : this.#counts
      this.#counts = { ...before, ...(isPart && { total: undefined }), ...counts, costUsd }
    }
  }
}

/** Finds the tokens that are not in the sums, by the total or where a part is larger than its sum. */
function findBeside({
  prompt,
  completion,
  total,
  reasoning,
  cached,
  written,
  apart,
}: Counts & { prompt: number; completion: number }): {
  input: number
  output: number
  hidden?: number
} {
  const rest = (total ?? Number.NaN) - prompt - completion
  const none = { input: 0, output: 0 }
  if (!isCount(prompt) || !isCount(completion) || rest === 0) return none
  const thought = toCount(reasoning)
  const [read, stored] = [toCount(cached), toCount(written)]
  const found = BESIDE.find(([a, b, c]) => a * thought + b * read + c * stored === rest)
  if (found !== undefined) {
    const [a, b, c] = found
    return { input: b * read + c * stored, output: a * thought }
  }
  // Gemini counts thoughts in the total alone.
  if (isCount(rest) && thought + read + stored === 0) return { ...none, hidden: rest }
  const isApart = read + stored > prompt || (total === undefined && apart !== undefined)
  return { input: isApart ? read + stored : 0, output: thought > completion ? thought : 0 }
}

function readCounts(report: JsonObject): Counts {
  const counts: Counts = {}
  for (const [count, paths] of PATHS) {
    const value = paths.map((path) => path.reduce(enter, report)).find((found) => !isMissing(found))
    if (value !== undefined) counts[count as keyof typeof NAMES] = toNumber(value)
  }
  // Of an answer by the operator's own key there, the provider's bill is not in the cost.
  const upstream =
    report.is_byok === true ? readCost(enter(report.cost_details, 'upstream_inference_cost')) : 0
  const cost = [
    report.cost,
    report.total_cost,
    report.estimated_cost,
    enter(report.cost, 'total_cost'),
  ]
    .map(readCost)
    .find((usd) => usd !== undefined)
  // xAI counts in ten-billionths of a dollar.
  const ticks = readCost(report.cost_in_usd_ticks)
  const costUsd = cost ?? (ticks === undefined ? undefined : ticks / 1e10)
  return costUsd === undefined ? counts : { ...counts, costUsd: costUsd + (upstream ?? 0) }
}

function readCost(value: unknown): number | undefined {
  const usd = isMissing(value) ? Number.NaN : toNumber(value)
  return Number.isFinite(usd) && usd >= 0 ? usd : undefined
}

function enter(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined
}

function minus(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined ? undefined : total - part
}

function toCount(value: unknown): number {
  return isCount(value) ? value : 0
}

function toNumber(value: unknown): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value)
  return typeof value === 'number' ? value : Number.NaN
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
