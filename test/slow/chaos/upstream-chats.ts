import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndResets,
  sendsSlowly,
  usage,
} from '../../service/providers/openai-server.ts'
import type { Random } from './random.ts'

/** The ends of a chat that its client does not leave. A `broken` one is an error event if streamed, otherwise 503. */
export type ChatEnd = 'answered' | 'rejected' | 'unavailable' | 'broken'

interface ChatFault {
  ends: ChatEnd
  plays(words: string[], random: Random): Responder
}

/** The faults of an OpenAI-like model in a chat. */
export const CHAT_FAULTS = {
  none: answers((random) => [finish(), countsOf(random), DONE]),
  slow: {
    ends: 'answered',
    plays: (words, random) => {
      const parts = [...words.slice(0, 8), ...words.slice(8).slice(-1), finish()]
      return sendsSlowly([...parts, countsOf(random), DONE], () => random.integer(5, 250))
    },
  },
  'no-done': answers((random) => [finish(), countsOf(random)]),
  'no-usage': answers(() => [finish(), DONE]),
  'zero-usage': answers(() => [finish(), usage(0, 0), DONE]),
  // Above most holds, and possible: the rest is charged, too.
  'huge-usage': answers(() => [finish(), usage(4000, 4000), DONE]),
  // What was held is charged.
  'absurd-usage': answers((random) => [finish(), usage(-1, random.integer(1, 9)), DONE]),
  'status-500': refused(500, 'unavailable'),
  'status-503': refused(503, 'unavailable'),
  'status-429': refused(429, 'unavailable'),
  'status-400': refused(400, 'rejected'),
  'reset-first': {
    ends: 'unavailable',
    plays: () => (response) => response.socket?.resetAndDestroy(),
  },
  'reset-in-middle': breaks((words) => sendsAndResets(...words)),
  'end-in-middle': breaks((words) => sends(...words)),
  'error-in-middle': breaks((words) =>
    sends(...words, event({ error: { message: 'secret' } }), DONE),
  ),
  'garbage-in-middle': breaks((words) => sends(...words, event('{"choices":'), DONE)),
} satisfies Record<string, ChatFault>

export type ChatFaultName = keyof typeof CHAT_FAULTS
export const CHAT_FAULT_NAMES = Object.keys(CHAT_FAULTS) as ChatFaultName[]

/** Answers with these words, and whatever goes wrong meanwhile. */
export function playChat(name: ChatFaultName, words: string[], random: Random): Responder {
  return CHAT_FAULTS[name].plays(words.map(delta), random)
}

/** Picks a fault; half of all chats have none, or are so slow that other faults find them in the middle. */
export function pickChatFault(random: Random): ChatFaultName {
  return random.chance(0.5) ? random.pick(['none', 'slow']) : random.pick(CHAT_FAULT_NAMES)
}

function answers(tail: (random: Random) => string[]): ChatFault {
  return { ends: 'answered', plays: (words, random) => sends(...words, ...tail(random)) }
}

function breaks(plays: (words: string[]) => Responder): ChatFault {
  return { ends: 'broken', plays: (words) => plays(words.slice(0, Math.ceil(words.length / 2))) }
}

function refused(status: number, ends: ChatEnd): ChatFault {
  return { ends, plays: () => refuses(status, '{"error":{"message":"secret"}}') }
}

function countsOf(random: Random): string {
  return usage(random.integer(1, 60), random.integer(0, 900))
}
