import { TOOL_NAME } from '../../service/providers/openai-server.ts'
import { createRandom, type Random } from '../chaos/random.ts'

/** Prices of the models in a round, in micro-roubles a token: any amount can be had by some usage. */
export const PRICES = { prompt: 1, cachedPrompt: 0, completion: 600 }
export const CONTEXT_TOKENS = 1_000_000

/** What the client of a round offers whose model calls a tool. */
export const TOOLS = [{ type: 'function' as const, function: { name: TOOL_NAME } }]

/** When the client of a round closes its connection. */
export type Leaving =
  | { when: 'never' }
  /** So many bytes of its request have gone out; where it has fewer, all of them. */
  | { when: 'asking'; bytes: number }
  /** The provider was asked. */
  | { when: 'before the first token' }
  /** So many bytes of the answer have come; of a provider that hangs, all of its words at most. */
  | { when: 'reading'; bytes: number }

/** One chat: what is asked, what the provider does and when the client leaves. */
export interface Round {
  /** Its own, so that the hold is known by its amount. */
  maxTokens: number
  stream: boolean
  prompt: string
  words: string[]
  thoughts: number
  /** From which one on they are the arguments of a call; a round without one has no tools, and another door. */
  callFrom: number
  /** Before and after its words; one that hangs, or is silent, waits for the client to leave, as does one that answers late. */
  provider: 'answers' | 'answers late' | 'resets' | 'refuses' | 'hangs' | 'is silent'
  usage: string | null
  leaving: Leaving
}

/** Holds reach from nothing to this, so that each border of what is believed is met from both sides. */
const MAX_TOKENS_MAX = 2000
const BYTES_ASKED_MAX = 400
const BYTES_READ_MAX = 2200
const WORDS = [
  'Копейка ',
  'is ',
  'half of a half ',
  '😀',
  '\n\n',
  '{"content":"a"}',
  'рубль '.repeat(9),
]

/** Plans rounds: the same for the same seed and count. */
export function planRounds({ seed, count }: { seed: string; count: number }): Round[] {
  const random = createRandom(seed)
  const step = Math.max(1, Math.floor(MAX_TOKENS_MAX / count))
  return Array.from({ length: count }, (_, index) => planRound(1 + index * step, random))
}

function planRound(maxTokens: number, random: Random): Round {
  const stream = random.chance(0.5)
  const words = Array.from({ length: random.integer(0, 5) }, () => random.pick(WORDS))
  return {
    maxTokens,
    stream,
    words,
    ...planKinds(words.length, random),
    prompt: random.pick(WORDS).repeat(random.integer(1, 5)),
    usage: planUsage(maxTokens * PRICES.completion, random),
    ...planEnd({ stream, words }, random),
  }
}

function planKinds(count: number, random: Random): Pick<Round, 'thoughts' | 'callFrom'> {
  const thoughts = random.integer(0, count)
  return { thoughts, callFrom: random.chance(0.5) ? count : random.integer(thoughts, count) }
}

/** Checks whether a round's model calls a tool. */
export function callsTool({ callFrom, words }: Pick<Round, 'callFrom' | 'words'>): boolean {
  return callFrom < words.length
}

function planEnd(
  { stream, words }: Pick<Round, 'stream' | 'words'>,
  random: Random,
): Pick<Round, 'provider' | 'leaving'> {
  const bytes = random.integer(1, BYTES_READ_MAX)
  const leaving = random.pick<Leaving>([
    { when: 'never' },
    { when: 'never' },
    { when: 'asking', bytes: random.integer(0, BYTES_ASKED_MAX) },
    { when: 'asking', bytes: Number.POSITIVE_INFINITY },
    { when: 'before the first token' },
    { when: 'reading', bytes },
    { when: 'reading', bytes },
  ])
  if (leaving.when === 'before the first token') {
    return { leaving, provider: stream ? 'is silent' : 'answers late' }
  }
  const mayHang = leaving.when === 'reading' && stream && words.length > 0
  if (mayHang && random.chance(0.5)) return { leaving, provider: 'hangs' }
  return { leaving, provider: random.chance(0.8) ? 'answers' : random.pick(['resets', 'refuses']) }
}

function planUsage(aboutHeld: number, random: Random): string | null {
  const costing = (microRub: number) =>
    usageOf(microRub % PRICES.completion, Math.floor(microRub / PRICES.completion))
  const border = Math.max(10 * aboutHeld, aboutHeld + 1_000_000)
  return random.pick([
    null,
    'null',
    '{}',
    usageOf(0, 0),
    costing(random.integer(0, aboutHeld)),
    costing(random.integer(aboutHeld, border)),
    // The prompt's part of the hold lies between.
    costing(border - random.integer(0, 1000)),
    costing(border + random.integer(0, 20_000)),
    costing(border * random.integer(2, 1000)),
    withCached(usageOf(random.integer(0, 900), 1), random.integer(0, 900)),
    withCached(
      usageOf(700, 1),
      random.pick([0, 699, 700, 701, -1, 0.5, '"7"', '1e400', 'null', '{}']),
    ),
    usageOf(CONTEXT_TOKENS, 0),
    usageOf(CONTEXT_TOKENS, 1),
    usageOf(random.pick([-1, 0.5, '"7"', '1e400', '9007199254740992', 'true', '[1]']), 1),
    usageOf(1, random.pick([-1e15, 1.5, '"0"', '-1e400', '9007199254740993', '{}'])),
  ])
}

function withCached(usage: string, cached: number | string): string {
  return usage.replace('}', `,"prompt_tokens_details":{"cached_tokens":${cached}}}`)
}

function usageOf(prompt: number | string, completion: number | string): string {
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion}}`
}
