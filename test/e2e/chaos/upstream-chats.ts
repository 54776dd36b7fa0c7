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
} from '../../service/providers/openai-server.ts'
import { createRandom, type Random } from './random.ts'

/** The ends of a chat that its client does not leave. A `broken` one is an error event if streamed, otherwise 503. */
export type ChatEnd = 'answered' | 'rejected' | 'unavailable' | 'broken'

interface ChatFault {
  ends: ChatEnd
  plays(random: Random): Responder
}

const BROKEN_COUNTS = [
  { prompt_tokens: -1, completion_tokens: 5 },
  { prompt_tokens: 7, completion_tokens: 1.5 },
  { prompt_tokens: 1e12, completion_tokens: 1 },
  { prompt_tokens: 7, completion_tokens: '9' },
]

/** The faults of the upstream in a chat. */
export const CHAT_FAULTS = {
  none: answered((random) => [...words(random), finish(), usage(random), DONE]),
  slow: { ends: 'answered', plays: playSlowly },
  'no-word': answered((random) => [finish('length'), usage(random), DONE]),
  'no-done': answered((random) => [...words(random), finish(), usage(random)]),
  'no-usage': answered((random) => [...words(random), finish(), DONE]),
  'zero-usage': answered((random) => [...words(random), finish(), counts(0, 0), DONE]),
  'usage-in-each': answered((random) => [
    counts(5, 0),
    ...words(random),
    counts(5, 1),
    finish(),
    usage(random),
    DONE,
  ]),
  // Above most holds, and possible: the rest is charged, too.
  'huge-usage': answered((random) => [...words(random), finish(), counts(4000, 4000), DONE]),
  // What was held is charged.
  'absurd-usage': answered((random) => [
    ...words(random),
    finish(),
    chunk({ usage: random.pick(BROKEN_COUNTS) }),
    DONE,
  ]),
  'status-500': refused(500, 'unavailable'),
  'status-503': refused(503, 'unavailable'),
  'status-429': refused(429, 'unavailable'),
  'status-401': refused(401, 'unavailable'),
  'status-400': refused(400, 'rejected'),
  'error-first': {
    ends: 'rejected',
    plays: () => sends(event({ error: { type: 'invalid_request_error', message: 'secret' } })),
  },
  'reset-first': {
    ends: 'unavailable',
    plays: () => (response) => response.socket?.resetAndDestroy(),
  },
  'reset-after-headers': { ends: 'unavailable', plays: () => sendsAndResets(': thinking\n\n') },
  'end-after-headers': { ends: 'unavailable', plays: () => sends('') },
  'reset-in-middle': broken((random) => sendsAndResets(...words(random))),
  'end-in-middle': broken((random) => sends(...words(random))),
  'error-in-middle': broken((random) =>
    sends(...words(random), event({ error: { message: 'secret' } }), DONE),
  ),
  'garbage-in-middle': broken((random) => sends(...words(random), event('{"choices":'), DONE)),
} satisfies Record<string, ChatFault>

export type ChatFaultName = keyof typeof CHAT_FAULTS
export const CHAT_FAULT_NAMES = Object.keys(CHAT_FAULTS) as ChatFaultName[]

/** Plays what the last message asks for: its second word is the fault. The same message is played the same. */
export function playChat(lastMessage: string): Responder {
  const name = lastMessage.split(' ')[1]
  const fault = CHAT_FAULT_NAMES.find((known) => known === name)
  if (fault === undefined) throw new RangeError(`Cannot play "${name}": no such fault`)
  return CHAT_FAULTS[fault].plays(createRandom(lastMessage))
}

function answered(parts: (random: Random) => string[]): ChatFault {
  return { ends: 'answered', plays: (random) => sends(...parts(random)) }
}

function broken(plays: ChatFault['plays']): ChatFault {
  return { ends: 'broken', plays }
}

function refused(status: number, ends: ChatEnd): ChatFault {
  return { ends, plays: () => refuses(status, '{"error":{"message":"secret"}}') }
}

function playSlowly(random: Random): Responder {
  const parts = [...words(random), ...words(random), finish(), usage(random), DONE]
  // The pauses are the fault.
  return sendsSlowly(parts, () => random.integer(5, 150))
}

function words(random: Random): string[] {
  const texts = Array.from({ length: random.integer(1, 6) }, () =>
    random.pick(['копейка ', 'рубль ', '🪙']),
  )
  return texts.map(delta)
}

function usage(random: Random): string {
  return counts(random.integer(1, 60), random.integer(0, 900))
}

function counts(promptTokens: number, completionTokens: number): string {
  return chunk({ usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens } })
}

function chunk(data: object): string {
  return event({ choices: [], ...data })
}
