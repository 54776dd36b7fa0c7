import type { ModelInfo } from '../../contract/client/read-answers.ts'
import { toModelName } from '../../contract/media.ts'
import { formatRub } from '../../contract/money.ts'
import { clipLabel } from '../../contract/video.ts'
import { priceChat } from './money.ts'
import { type ConformanceOptions, PROVOCATIONS } from './options.ts'
import { LIMITS } from './paces.ts'
import { DEARER_TOKENS, MAX_TOKENS } from './scenes/chat-scenes.ts'
import { FURTHER_TASKS_MAX } from './scenes/media-scenes.ts'

/** One plain, one streamed. */
const CHATS = 2n
/** What is provoked in chats; a plain and a streamed one of those that are refused, which come back. */
const PROVOKED_CHATS = ['broken', 'longer'] as const

/** A thing that a run will pay for. */
export interface CostItem {
  what: string
  /** The most that it costs; undefined if the service states no price. */
  microRub: bigint | undefined
}

/** What a run will take at most, at a service that keeps the rules. */
export interface Estimate {
  cost: CostItem[]
  seconds: number
  /** Undefined where it cannot be read. */
  balanceMicroRub: bigint | undefined
}

/** Lists the most that a run costs at a service that keeps the rules; nothing if the run is free. */
export function estimateCost(
  options: ConformanceOptions,
  {
    model = { id: 'a model' },
    prices,
  }: { model: ModelInfo | undefined; prices: ReadonlyMap<string, bigint> | undefined },
): CostItem[] {
  if (options.isFree) return []
  const { creation, callbackUrl, isThorough, withVideo, withLimits, provoke } = options
  const further = isThorough ? FURTHER_TASKS_MAX : 0
  const tasks = BigInt((callbackUrl === undefined ? 1 : 3) + further)
  const price = prices?.get(toModelName(creation.path))
  const clip = prices?.get(clipLabel({}))
  const provoked = PROVOKED_CHATS.filter((kind) => provoke[kind] !== undefined)
  const burst = BigInt(LIMITS.chats.max + 2)
  const clips = BigInt(LIMITS.clips.max)
  return [
    { what: `${CHATS} chats of ${model.id}`, microRub: times(CHATS, priceChat(model, MAX_TOKENS)) },
    { what: 'one with a larger estimate', microRub: priceChat(model, DEARER_TOKENS.max) },
    ...provoked.map((kind) => ({
      what: `one of ${provoke[kind]}`,
      microRub: times(2n, priceChat(model, MAX_TOKENS)),
    })),
    { what: `${tasks} of /${creation.path}, if it is there`, microRub: times(tasks, price) },
    ...(withVideo ? [{ what: 'a clip', microRub: clip }] : []),
    ...(withLimits
      ? [{ what: `${burst} chats of one token`, microRub: times(burst, priceChat(model, 1)) }]
      : []),
    ...(withLimits && withVideo
      ? [{ what: `${clips} clips, if no wrong ones count`, microRub: times(clips, clip) }]
      : []),
  ]
}

/** Estimates how long a run takes at a service whose tasks end within seconds. */
export function estimateSeconds(options: ConformanceOptions): number {
  const { isFree, callbackUrl, withLimits, withVideo, otherApiKey, isThorough, provoke } = options
  if (isFree) return 5
  // A clip waits until the wrong ones of the same minute count no more.
  const own = 15 + (isThorough ? 10 : 0) + (withVideo ? 65 : 0)
  const provoked = PROVOCATIONS.filter((kind) => provoke[kind] !== undefined).length * 3
  const limits = withLimits ? 70 : 0
  const waits = Math.max(own + provoked, callbackUrl === undefined ? 0 : 60)
  // The limits of another account are used up meanwhile.
  return otherApiKey === undefined ? waits + limits * 2 : Math.max(waits, limits)
}

/** Writes what a run will take for the person who is to pay. */
export function describeEstimate({ cost, seconds, balanceMicroRub }: Estimate): string {
  const lines = cost.map(({ what, microRub }) => `  ${what}: ${describe(microRub)}`)
  const known = cost.flatMap(({ microRub }) => microRub ?? [])
  const sum = known.reduce((left, right) => left + right, 0n)
  const rest = known.length === cost.length ? '' : ', and what has no price above'
  const isShort = balanceMicroRub !== undefined && balanceMicroRub < sum
  return [
    'This run pays for',
    ...lines,
    `At most ${formatRub(sum)} RUB in all${rest}, in about ${describeSeconds(seconds)}; a real clip takes 5 to 15 minutes more.`,
    ...(isShort
      ? [
          `The balance is ${formatRub(balanceMicroRub)} RUB: rules that it does not pay for are not seen.`,
        ]
      : []),
    'A service that takes what it should refuse may charge for that besides.',
  ].join('\n')
}

/** Writes a duration for people: `45 s`, `2 min 5 s`. */
export function describeSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

function times(count: bigint, microRub: bigint | undefined): bigint | undefined {
  return microRub === undefined ? undefined : count * microRub
}

function describe(microRub: bigint | undefined): string {
  return microRub === undefined
    ? 'the service tells no price'
    : `at most ${formatRub(microRub)} RUB`
}
