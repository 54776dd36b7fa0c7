import type { ModelInfo } from '../../contract/client/read-answers.ts'
import { toModelName } from '../../contract/media.ts'
import { formatRub } from '../../contract/money.ts'
import { clipLabel } from '../../contract/video.ts'
import type { ConformanceOptions } from './options.ts'
import { MAX_TOKENS } from './scenes/chat-scenes.ts'

/** More than the prompts here have, in any counting. */
const PROMPT_TOKENS = 200n
const MILLION = 1_000_000n
const KOPECK = 10_000n
/** One plain, one streamed. */
const CHATS = 2n
const LIMIT_CHATS = 31n

/** A thing that a run will pay for. */
export interface CostItem {
  what: string
  /** The most that it costs; undefined if the service states no price. */
  microRub: bigint | undefined
}

/** Lists the most that a run costs at a service that keeps the rules; nothing if the run is free. */
export function estimateCost(
  options: ConformanceOptions,
  {
    model,
    prices,
  }: { model: ModelInfo | undefined; prices: ReadonlyMap<string, bigint> | undefined },
): CostItem[] {
  if (options.isFree) return []
  const tasks = options.callbackUrl === undefined ? 1n : 3n
  const price = prices?.get(toModelName(options.creation.path))
  return [
    { what: `${CHATS} chats of ${model?.id ?? 'a model'}`, microRub: chatCost(CHATS, MAX_TOKENS) },
    {
      what: `${tasks} of /${options.creation.path}, if it is there`,
      microRub: price && tasks * price,
    },
    ...(options.withVideo ? [{ what: 'a clip', microRub: prices?.get(clipLabel({})) }] : []),
    ...(options.withLimits
      ? [{ what: `${LIMIT_CHATS} chats of one token`, microRub: chatCost(LIMIT_CHATS, 1) }]
      : []),
  ]

  function chatCost(chats: bigint, maxTokens: number): bigint | undefined {
    const { promptMicroRubPer1m: prompt, completionMicroRubPer1m: completion } = model ?? {}
    if (prompt === undefined || completion === undefined) return undefined
    // A service may round up to a kopeck, each chat.
    const exact = (prompt * PROMPT_TOKENS + completion * BigInt(maxTokens)) / MILLION
    return chats * (exact / KOPECK + 1n) * KOPECK
  }
}

/** Writes the costs for the person who is to pay. */
export function describeCost(items: readonly CostItem[]): string {
  const lines = items.map(({ what, microRub }) => `  ${what}: ${describe(microRub)}`)
  const known = items.flatMap(({ microRub }) => microRub ?? [])
  const sum = known.reduce((left, right) => left + right, 0n)
  const rest = known.length === items.length ? '' : ', and what has no price above'
  return [
    'This run pays for',
    ...lines,
    `At most ${formatRub(sum)} RUB in all${rest}.`,
    'A service that takes what it should refuse may charge for that besides.',
  ].join('\n')
}

function describe(microRub: bigint | undefined): string {
  return microRub === undefined
    ? 'the service tells no price'
    : `at most ${formatRub(microRub)} RUB`
}
