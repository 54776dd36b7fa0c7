import { setTimeout as delay } from 'node:timers/promises'
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
import type { Random } from '../random.ts'
import { findTag } from './tags.ts'

interface ModelRequest {
  messages: { role: string; content: string }[]
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
}

/** The count of a prompt's tokens is this and the number of the request: each price differs from all others. */
const FIRST_PROMPT_TOKENS = 100_000
const HANGING_MS = { min: 500, max: 6_000 }
const LONG_ANSWERS = 0.01
const ABOVE_HOLD_TOKENS = 1_500

const FAULTS: readonly Fault[] = [
  { share: 80, plays: playSlowly },
  { share: 60, plays: ({ words }) => sends(...words, finish(), DONE) },
  answers(20, (answer) => [usageOf(answer)]),
  // It says that it costs nothing.
  answers(10, () => [usage(0, 0), DONE]),
  // Above the hold, and possible: the rest is charged, too.
  answers(20, ({ promptTokens }) => [usage(promptTokens, ABOVE_HOLD_TOKENS), DONE]),
  // What was held is charged.
  answers(10, () => [usage(-1, 5), DONE]),
  {
    share: 20,
    plays: (answer) => sends(...answer.words, finish('length'), usageOf(answer), DONE),
  },
  { share: 15, plays: () => refuses(500, '{}') },
  { share: 15, plays: () => refuses(503, '{}') },
  { share: 20, plays: () => refuses(429, '{}') },
  { share: 15, plays: () => refuses(400, '{}') },
  { share: 20, plays: () => (response) => response.socket?.resetAndDestroy() },
  { share: 10, plays: ({ random }) => hangs([], random) },
  { share: 30, plays: ({ words }) => sendsAndResets(...halfOf(words)) },
  { share: 15, plays: ({ words }) => sends(...halfOf(words)) },
  {
    share: 15,
    plays: ({ words }) => sends(...halfOf(words), event({ error: { message: 'secret' } }), DONE),
  },
  { share: 10, plays: ({ words, random }) => hangs(halfOf(words), random) },
]

const NONE: Fault = answers(0, (answer) => [usageOf(answer), DONE])

/**
 * A model on a bad line. Its answers are of any length, name the tag that they are about in their first
 * and their last words, and count tokens in such a way that each differs from all others. It is
 * strict: what no careful client would send is recorded.
 */
export function createUnsteadyModel(random: Random) {
  const problems: string[] = []
  let asked = 0
  return { problems, respond }

  function respond(body: unknown): Responder {
    const { messages } = body as ModelRequest
    const tag = findTag(messages.at(-1)?.content ?? '')
    if (tag === undefined) throw new RangeError('Cannot answer: the last message has no tag')
    problems.push(...findProblems(messages, tag))
    const words = wordsAbout(tag, random).map(delta)
    asked += 1
    return pickFault().plays({ words, promptTokens: FIRST_PROMPT_TOKENS + asked, random })
  }

  function pickFault(): Fault {
    let luck = random.integer(1, 1_000)
    for (const fault of FAULTS) {
      luck -= fault.share
      if (luck <= 0) return fault
    }
    return NONE
  }
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
  return { share, plays: (answer) => sends(...answer.words, finish(), ...tail(answer)) }
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

function usageOf({ words, promptTokens }: Answer): string {
  return usage(promptTokens, words.length)
}
