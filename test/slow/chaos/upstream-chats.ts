import { estimatePromptTokens } from '../../../src/contract/token-estimate.ts'
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
import type { ModelAnswer, Untold } from './explain-hold.ts'
import { createRandom, type Random } from './random.ts'

/** The ends of a chat that its client does not leave. A `broken` one is an error event if streamed, otherwise 503. */
export type ChatEnd = 'answered' | 'rejected' | 'unavailable' | 'broken'

interface ChatFault {
  ends: ChatEnd
  parts(random: Random): string[]
  plays(parts: string[], random: Random): Responder
  untold?: Untold
}

/** A chat that the model was asked for, by the message that it was asked with. */
export interface AskedChat extends ModelAnswer {
  tokens: { promptTokens: number; completionTokens: number } | undefined
}

const USAGE = /"usage":\{"prompt_tokens":(\d+),"completion_tokens":(\d+)\}/g
const BROKEN_COUNTS = [
  { prompt_tokens: -1, completion_tokens: 5 },
  { prompt_tokens: 7, completion_tokens: 1.5 },
  { prompt_tokens: 1e12, completion_tokens: 1 },
  { prompt_tokens: 7, completion_tokens: '9' },
]

/** The faults of the upstream in a chat. */
export const CHAT_FAULTS = {
  none: answered((random) => [...words(random), finish(), usage(random), DONE]),
  slow: answered((random) => [...words(random), ...words(random), finish(), usage(random), DONE], {
    plays: playSlowly,
  }),
  'no-word': answered((random) => [finish('length'), usage(random), DONE]),
  'no-done': answered((random) => [...words(random), finish(), usage(random)]),
  'no-usage': answered((random) => [...words(random), finish(), DONE], { untold: 'no usage' }),
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
  'absurd-usage': answered(
    (random) => [...words(random), finish(), chunk({ usage: random.pick(BROKEN_COUNTS) }), DONE],
    { untold: 'no possible usage' },
  ),
  'status-500': refused(500, 'unavailable'),
  'status-503': refused(503, 'unavailable'),
  'status-429': refused(429, 'unavailable'),
  'status-401': refused(401, 'unavailable'),
  'status-400': refused(400, 'rejected'),
  'error-first': wordless('rejected', () =>
    sends(event({ error: { type: 'invalid_request_error', message: 'secret' } })),
  ),
  'reset-first': wordless('unavailable', () => (response) => response.socket?.resetAndDestroy()),
  'reset-after-headers': wordless('unavailable', () => sendsAndResets(': thinking\n\n')),
  'end-after-headers': wordless('unavailable', () => sends('')),
  'reset-in-middle': broken((parts) => sendsAndResets(...parts)),
  'end-in-middle': broken((parts) => sends(...parts)),
  'error-in-middle': broken((parts) =>
    sends(...parts, event({ error: { message: 'secret' } }), DONE),
  ),
  'garbage-in-middle': broken((parts) => sends(...parts, event('{"choices":'), DONE)),
} satisfies Record<string, ChatFault>

export type ChatFaultName = keyof typeof CHAT_FAULTS
export const CHAT_FAULT_NAMES = Object.keys(CHAT_FAULTS) as ChatFaultName[]

/**
 * Plays what the last message asks for: its second word is the fault. The same message is played the same.
 *
 * @param onAsked Called with what it bills.
 */
export function playChat(lastMessage: string, onAsked: (chat: AskedChat) => void): Responder {
  const name = lastMessage.split(' ')[1]
  const known = CHAT_FAULT_NAMES.find((each) => each === name)
  if (known === undefined) throw new RangeError(`Cannot play "${name}": no such fault`)
  const fault: ChatFault = CHAT_FAULTS[known]
  const random = createRandom(lastMessage)
  const parts = fault.parts(random)
  const chat: AskedChat = { tokens: tokensOf(fault, parts, lastMessage), untold: fault.untold }
  onAsked(chat)
  const play = fault.plays(parts, random)
  return (response, request) => {
    response.on('finish', () => {
      chat.writtenAt = new Date()
    })
    return play(response, request)
  }
}

function answered(
  parts: ChatFault['parts'],
  { plays = (all) => sends(...all), ...rest }: Partial<Omit<ChatFault, 'ends' | 'parts'>> = {},
): ChatFault {
  return { ends: 'answered', parts, plays, ...rest }
}

function broken(plays: ChatFault['plays']): ChatFault {
  return { ends: 'broken', parts: words, plays, untold: 'broken off' }
}

function refused(status: number, ends: ChatEnd): ChatFault {
  return wordless(ends, () => refuses(status, '{"error":{"message":"secret"}}'))
}

function wordless(ends: ChatEnd, plays: ChatFault['plays']): ChatFault {
  return { ends, parts: () => [], plays }
}

function playSlowly(parts: string[], random: Random): Responder {
  // The pauses are the fault.
  return sendsSlowly(parts, () => random.integer(5, 150))
}

function tokensOf(
  { untold }: ChatFault,
  parts: readonly string[],
  lastMessage: string,
): AskedChat['tokens'] {
  if (untold === undefined) return [...parts.join('').matchAll(USAGE)].map(toTokens).at(-1)
  const promptTokens = estimatePromptTokens([{ role: 'user', content: lastMessage }])
  const written = parts.filter((part) => part.includes('"content"'))
  return { promptTokens, completionTokens: written.length }
}

function toTokens([, promptTokens, completionTokens]: RegExpExecArray) {
  return { promptTokens: Number(promptTokens), completionTokens: Number(completionTokens) }
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
