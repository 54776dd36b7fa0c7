import { createRandom, type Random } from '../random.ts'
import { CHAT_FAULTS, type ChatEnd, pickChatFault } from '../upstream-chats.ts'
import { IMAGE_FAULTS, VIDEO_FAULTS } from '../upstream-works.ts'
import { RECEIVER_FAULT_NAMES } from './callbacks.ts'

export type Kind = 'plain' | 'stream' | 'video' | 'image' | 'sound' | 'poll' | 'balance'

/** One request that will be made. */
export interface Planned {
  index: number
  kind: Kind
  account: number
  instance: number
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  leavesAfterMs?: number
  /** The same request goes to the other process at the same time, with the same `Idempotency-Key`. */
  isTwice?: boolean
  /** Every outcome that is right. Leaving, and being cut by a kill, are judged elsewhere. */
  expected: readonly string[]
}

export interface Plan {
  accounts: { name: string; creditMicroRub: bigint }[]
  requests: Planned[]
}

const REQUESTS_PER_ACCOUNT = 12
const ACCOUNTS_MIN = 10
const RICH_MICRO_RUB = 1_000_000_000n
const POOR_EVERY = 4
const POOR_MICRO_RUB = 4_000_000n

const WEIGHTS: Record<Kind, number> = {
  stream: 35,
  plain: 18,
  video: 7,
  image: 10,
  sound: 11,
  poll: 8,
  balance: 4,
}
const KINDS = Object.entries(WEIGHTS).flatMap(
  ([kind, weight]) => Array(weight).fill(kind) as Kind[],
)

const CHAT_EXPECTED: Record<ChatEnd, { stream: string; plain: string }> = {
  answered: { stream: '200', plain: '200' },
  rejected: { stream: '502', plain: '502' },
  unavailable: { stream: '503', plain: '503' },
  broken: { stream: 'broken', plain: '503' },
}

/** Each request's `max_tokens` is its own, so that the hold it took is known by its amount. */
export const MAX_TOKENS_BASE = 1000

/** Plans the requests of one run: the same for the same seed and count. */
export function makePlan({
  seed,
  count,
  receiver,
}: {
  seed: string
  count: number
  receiver: string
}): Plan {
  const random = createRandom(`${seed} plan`)
  const accountCount = Math.max(ACCOUNTS_MIN, Math.ceil(count / REQUESTS_PER_ACCOUNT))
  return {
    accounts: Array.from({ length: accountCount }, (_, index) => ({
      name: `account ${index}`,
      creditMicroRub: isPoor(index) ? POOR_MICRO_RUB : RICH_MICRO_RUB,
    })),
    requests: Array.from({ length: count }, (_, index) => planRequest(index)),
  }

  function planRequest(index: number): Planned {
    const kind = random.pick(KINDS)
    const planned: Planned = {
      index,
      kind,
      account: random.integer(0, accountCount - 1),
      instance: random.integer(0, 1),
      method: 'GET',
      path: '/balance',
      headers: {},
      expected: ['200'],
    }
    switch (kind) {
      case 'stream':
      case 'plain':
        return planChat(planned, random)
      case 'video':
      case 'image':
      case 'sound':
        return planTask(planned, random, `${receiver}/${random.pick(RECEIVER_FAULT_NAMES)}`)
      case 'poll':
        return { ...planned, path: '/task/' }
      case 'balance':
        return planned
    }
  }
}

function planChat(planned: Planned, random: Random): Planned {
  const { index, kind, account } = planned
  const fault = pickChatFault(random)
  const body = {
    model: 'alpha',
    messages: [{ role: 'user', content: `${index} ${fault}` }],
    max_tokens: MAX_TOKENS_BASE + index,
    stream: kind === 'stream',
  }
  return {
    ...planned,
    ...post('/chats/completions', JSON.stringify(body)),
    ...leaves(random),
    expected: [
      CHAT_EXPECTED[CHAT_FAULTS[fault].ends][kind === 'stream' ? 'stream' : 'plain'],
      ...(isPoor(account) ? ['402'] : []),
    ],
  }
}

function planTask(planned: Planned, random: Random, callbackUrl: string): Planned {
  const { index, kind, account } = planned
  const isTwice = random.chance(0.25)
  const creation = post(...toCreation(index, kind, random))
  return {
    ...planned,
    ...creation,
    ...(isTwice ? { isTwice } : leaves(random)),
    headers: {
      ...creation.headers,
      ...(random.chance(0.6) && { 'x-callback-url': callbackUrl }),
      ...(isTwice && { 'idempotency-key': `request ${index}` }),
    },
    expected: [
      ...['200', '429'],
      ...(isPoor(account) ? ['402'] : []),
      // A provider that just answered that it is away is not ordered from for a while.
      ...(kind === 'video' ? ['503'] : []),
    ],
  }
}

function toCreation(index: number, kind: Kind, random: Random): [path: string, body: string] {
  if (kind === 'video') {
    const prompt = `${index} ${random.pick(VIDEO_FAULTS)}`
    return ['/videos/vidgen-generate', JSON.stringify({ prompt, aspect_ratio: '1280:720' })]
  }
  if (kind === 'image') {
    const prompt = `${index} ${random.chance(0.4) ? 'none' : random.pick(IMAGE_FAULTS)}`
    return ['/images/imagegen-generate', JSON.stringify({ prompt })]
  }
  return ['/sounds/soundgen-generate', JSON.stringify({ prompt: `${index} none`, duration: 1 })]
}

function post(path: string, body: string) {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body } as const
}

function leaves(random: Random): { leavesAfterMs?: number } {
  return random.chance(0.15) ? { leavesAfterMs: random.integer(0, 500) } : {}
}

function isPoor(account: number): boolean {
  return account % POOR_EVERY === 0
}
