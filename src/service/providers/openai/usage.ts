import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import type { ProviderUsage } from '../provider.ts'

/** The names that providers give to each count, the most exact first. A point leads into an object. */
const NAMES = {
  prompt: 'prompt_tokens input_tokens promptTokenCount prompt_eval_count',
  completion: 'completion_tokens output_tokens candidatesTokenCount eval_count',
  total: 'total_tokens totalTokenCount',
  reasoning:
    'completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens reasoning_tokens thoughtsTokenCount',
  cached:
    'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cached_tokens prompt_cache_hit_tokens cache_read_input_tokens cachedContentTokenCount',
  missed: 'prompt_cache_miss_tokens',
  written:
    'prompt_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens cache_creation_input_tokens',
  // Anthropic's own input has no cached tokens in it, whatever the sums are.
  apart: 'cache_read_input_tokens cache_creation_input_tokens',
  costUsd: 'cost.total_cost cost total_cost estimated_cost',
  // xAI counts in ten-billionths of a dollar.
  ticks: 'cost_in_usd_ticks',
} as const
type Counts = { -readonly [count in keyof typeof NAMES]?: number | undefined }

const PATHS = Object.entries(NAMES).map(
  ([count, names]) => [count, names.split(' ').map((name) => name.split('.'))] as const,
)

/** Collects the usage of one answer: the last complete report wins, incomplete ones add up to one. */
export class UsageReader {
  #counts: Counts = {}

  get usage(): ProviderUsage | undefined {
    const { cached, missed, written, total, reasoning, ...counts } = this.#counts
    const rest = missed === undefined ? minus(total, counts.completion) : missed + (cached ?? 0)
    const { prompt = rest, ticks, costUsd = ticks && ticks / 1e10 } = counts
    const { completion = minus(total, prompt) } = counts
    if (prompt === undefined || completion === undefined) return undefined
    const { input, output, hidden } = findBeside({ ...this.#counts, prompt, completion })
    return {
      promptTokens: prompt + input,
      ...(cached !== undefined && { cachedTokens: cached }),
      ...(isCount(written) && { cacheWriteTokens: written }),
      completionTokens: completion + output + hidden,
      ...((isCount(reasoning) || hidden > 0) && { reasoningTokens: toCount(reasoning) + hidden }),
      ...(costUsd !== undefined && { reportedCostUsd: costUsd }),
    }
  }

  read(json: JsonObject, choice: JsonObject = {}): void {
    for (const name in json) {
      if (!name.startsWith('x_')) continue
      this.#add(json[name])
      this.#add(enter(json[name], 'usage'))
    }
    if ('eval_count' in json || 'prompt_eval_count' in json) this.#add(json)
    this.#add(enter(choice.delta, 'usage'))
    this.#add(enter(choice.message, 'usage'))
    this.#add(choice.usage)
    this.#add(json.usage_metadata)
    this.#add(json.usageMetadata)
    this.#add(json.usage)
  }

  #add(report: unknown): void {
    if (!isJsonObject(report)) return
    const counts = readCounts(report)
    const { prompt, completion, total, costUsd = this.#counts.costUsd } = counts
    const isComplete = prompt !== undefined && (completion ?? total) !== undefined
    const isPart = !isComplete && (prompt ?? completion) !== undefined
    const before = isComplete ? {} : this.#counts
    this.#counts = { ...before, ...(isPart && { total: undefined }), ...counts, costUsd }
  }
}

/** Finds the tokens that are not in the sums, by the total or because a part is larger than its sum. */
function findBeside(counts: Counts & { prompt: number; completion: number }) {
  const { prompt, completion, total, apart } = counts
  if (!isCount(prompt) || !isCount(completion)) return { input: 0, output: 0, hidden: 0 }
  const thought = toCount(counts.reasoning)
  const read = toCount(counts.cached)
  const stored = toCount(counts.written)
  const rest = (total ?? Number.NaN) - prompt - completion
  for (const output of [0, thought]) {
    for (const input of [0, read, stored, read + stored]) {
      if (input + output === rest) return { input, output, hidden: 0 }
    }
  }
  // Gemini counts thoughts in the total alone.
  if (isCount(rest) && thought + read + stored === 0) return { input: 0, output: 0, hidden: rest }
  const isApart = read + stored > prompt || (total === undefined && apart !== undefined)
  return {
    input: isApart ? read + stored : 0,
    output: thought > completion ? thought : 0,
    hidden: 0,
  }
}

function readCounts(report: JsonObject): Counts {
  const counts: Counts = {}
  for (const [count, paths] of PATHS) {
    const value = paths.map((path) => path.reduce(enter, report)).find((found) => !isMissing(found))
    if (value !== undefined) counts[count as keyof Counts] = toNumber(value)
  }
  // If a gateway used the operator's own key, the provider's bill is not in the cost.
  const bill = toNumber(enter(report.cost_details, 'upstream_inference_cost'))
  const isByOwnKey = report.is_byok === true && counts.costUsd !== undefined && bill >= 0
  return isByOwnKey ? { ...counts, costUsd: (counts.costUsd ?? 0) + bill } : counts
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
