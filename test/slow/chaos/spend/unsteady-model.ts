import { setTimeout as delay } from 'node:timers/promises'
import { addHoldMargin, estimatePromptTokens } from '../../../../src/contract/token-estimate.ts'
import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndHangs,
  sendsAndResets,
  sendsSlowly,
  usage,
} from '../../../service/providers/openai-server.ts'
import type { ModelAnswer, Untold } from '../explain-hold.ts'
import type { Random } from '../random.ts'
import { priceOf } from './service-config.ts'
import { findTag } from './tags.ts'

/** A request that the model got, and what it billed for it. */
export interface AskedModel extends ModelAnswer {
  tag: string
  askedAt: Date
  holdMicroRub: bigint
  fault: FaultName
  /** What it wrote at the price of what it counted, whether anybody reads it or not. */
  billMicroRub: bigint
}

interface ModelRequest {
  messages: { role: string; content: string }[]
  max_tokens: number
}

interface Answer {
  words: string[]
  promptTokens: number
  random: Random
}

interface Fault {
  /** The share of a thousand requests. */
  share: number
  plays(answer: Answer): Responder
  /** The completion tokens that it bills; without it nothing is billed. */
  counts?(answer: Answer): number
  untold?: Untold
}

/** An honest count of a prompt's tokens is this and the number of the request: no estimate is so high. */
export const FIRST_PROMPT_TOKENS = 100_000
const HANGING_MS = { min: 500, max: 6_000 }
const LONG_ANSWERS = 0.01
const ABOVE_HOLD_TOKENS = 1_500

const FAULTS = {
  slow: { share: 80, plays: playSlowly, counts: countAll },
  'no-usage': {
    share: 60,
    plays: ({ words }) => sends(...words, finish(), DONE),
    counts: countAll,
    untold: 'no usage',
  },
  'no-done': answers(20, (answer) => [usageOf(answer)]),
  // It says that it costs nothing.
  'zero-usage': {
    share: 10,
    plays: ({ words }) => sends(...words, finish(), usage(0, 0), DONE),
  },
  // Above the hold, and possible: the rest is charged, too.
  'above-hold': {
    ...answers(20, ({ promptTokens }) => [usage(promptTokens, ABOVE_HOLD_TOKENS), DONE]),
    counts: () => ABOVE_HOLD_TOKENS,
  },
  // What was held is charged.
  'absurd-usage': { ...answers(10, () => [usage(-1, 5), DONE]), untold: 'no possible usage' },
  cut: {
    share: 20,
    plays: (answer) => sends(...answer.words, finish('length'), usageOf(answer), DONE),
    counts: countAll,
  },
  'status-500': { share: 15, plays: () => refuses(500, '{}') },
  'status-503': { share: 15, plays: () => refuses(503, '{}') },
  'status-429': { share: 20, plays: () => refuses(429, '{}') },
  'status-400': { share: 15, plays: () => refuses(400, '{}') },
  'reset-first': { share: 20, plays: () => (response) => response.socket?.resetAndDestroy() },
  'hangs-first': { share: 10, plays: ({ random }) => hangs([], random) },
  'reset-in-middle': breaks(30, ({ words }) => sendsAndResets(...halfOf(words))),
  'end-in-middle': breaks(15, ({ words }) => sends(...halfOf(words))),
  'error-in-middle': breaks(15, ({ words }) =>
    sends(...halfOf(words), event({ error: { message: 'secret' } }), DONE),
  ),
  'hangs-in-middle': breaks(10, ({ words, random }) => hangs(halfOf(words), random)),
} satisfies Record<string, Fault>

export type FaultName = keyof typeof FAULTS | 'none'

const NONE: Fault = answers(0, (answer) => [usageOf(answer), DONE])

/**
 * A model on a bad line. Its answers are of any length, name the tag that they are about in their first
 * and their last words, and count tokens in such a way that each differs from all others. It is
 * strict: what no careful client would send is recorded.
 */
export function createUnsteadyModel(random: Random) {
  const asked: AskedModel[] = []
  const problems: string[] = []
  return { asked, problems, respond }

  function respond(body: unknown): Responder {
    const { messages, max_tokens: maxTokens } = body as ModelRequest
    const tag = findTag(messages.at(-1)?.content ?? '')
    if (tag === undefined) throw new RangeError('Cannot answer: the last message has no tag')
    problems.push(...findProblems(messages, tag))
    const promptTokens = addHoldMargin(estimatePromptTokens(messages as never))
    const name = pickFault()
    const fault: Fault = name === 'none' ? NONE : FAULTS[name]
    const words = wordsAbout(tag, random).map(delta)
    const answer = { words, promptTokens: FIRST_PROMPT_TOKENS + asked.length, random }
    const one: AskedModel = {
      tag,
      askedAt: new Date(),
      holdMicroRub: priceOf({ promptTokens, completionTokens: maxTokens }),
      fault: name,
      billMicroRub: billOf(fault, answer, estimatePromptTokens(messages as never)),
      untold: fault.untold,
    }
    asked.push(one)
    const play = fault.plays(answer)
    return (response, request) => {
      // The bytes are with the other side's system then, and no sooner.
      response.on('finish', () => {
        one.writtenAt = new Date()
      })
      return play(response, request)
    }
  }

  function pickFault(): FaultName {
    let luck = random.integer(1, 1_000)
    for (const [name, { share }] of Object.entries(FAULTS)) {
      luck -= share
      if (luck <= 0) return name as FaultName
    }
    return 'none'
  }
}

/** @param readTokens What it read; a count that it reports is a name instead. */
function billOf({ counts, untold }: Fault, answer: Answer, readTokens: number): bigint {
  if (counts === undefined) return 0n
  const promptTokens = untold === undefined ? answer.promptTokens : readTokens
  return priceOf({ promptTokens, completionTokens: counts(answer) })
}

/** The history is the chat's own: no message stands in it twice, and nothing is empty. */
function findProblems(messages: ModelRequest['messages'], tag: string): string[] {
  const problems: string[] = []
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  if (new Set(asked).size < asked.length) problems.push('a message stands in the history twice')
  if (messages.at(-1)?.role !== 'user') problems.push("the last message is not the user's")
  if (messages.some(({ content }) => content.trim() === '')) problems.push('a message is empty')
  return problems.map((problem) => `${tag}: ${problem}`)
}

function wordsAbout(tag: string, random: Random): string[] {
  const count = random.chance(LONG_ANSWERS) ? 1_200 : random.integer(0, 12)
  const words = Array.from({ length: count }, () => random.pick(['копейка ', 'рубль ', 'a coin ']))
  return [`About ${tag}: `, ...words, `so ended ${tag}.`]
}

function answers(share: number, tail: (answer: Answer) => string[]): Fault {
  return {
    share,
    plays: (answer) => sends(...answer.words, finish(), ...tail(answer)),
    counts: countAll,
  }
}

function breaks(share: number, plays: Fault['plays']): Fault {
  return { share, plays, counts: ({ words }) => halfOf(words).length, untold: 'broken off' }
}

function playSlowly({ words, ...answer }: Answer): Responder {
  const few = [...words.slice(0, -1).slice(0, 8), ...words.slice(-1)]
  const parts = [...few, finish(), usageOf({ words, ...answer }), DONE]
  // The pauses are the fault.
  return sendsSlowly(parts, () => answer.random.integer(20, 250))
}

function hangs(words: string[], random: Random): Responder {
  return async (response, asked) => {
    await sendsAndHangs(...words)(response, asked)
    await delay(random.integer(HANGING_MS.min, HANGING_MS.max), undefined, { ref: false })
    response.socket?.resetAndDestroy()
  }
}

function halfOf(words: string[]): string[] {
  return words.slice(0, Math.ceil(words.length / 2))
}

function countAll({ words }: Answer): number {
  return words.length
}

function usageOf({ words, promptTokens }: Answer): string {
  return usage(promptTokens, words.length)
}
