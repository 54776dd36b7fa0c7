import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
  usage,
} from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

/** The balance of an account in the beginning. */
export const CREDIT = 1_000_000_000n

export const CHAT = {
  model: 'alpha',
  messages: [{ role: 'user', content: 'Привет' }],
  max_tokens: 100,
}
export const STREAM = { ...CHAT, stream: true }

/** A whole answer of 12 and 5 tokens. */
export const ANSWERS = sends(delta('слово'), finish(), usage(12, 5), DONE)
/** Its cost: 12 × 150 and 5 × 600 roubles per 1M tokens. */
export const COST = 4800n

/** Starts a service in front of an upstream that answers each request with the next responder, the last one every later request. */
export async function startChatService(
  responders: Responder | Responder[],
  model: Parameters<typeof upstreamConfig>[1] = {},
) {
  const upstream = await startOpenAiServer(...[responders].flat())
  untilTestEnds(upstream)
  const config = upstreamConfig(upstream.baseUrl, model)
  const kopeck = await startTestService({ config })
  untilTestEnds(kopeck)
  return { upstream, kopeck, startAnother }

  async function startAnother(): Promise<TestService> {
    const other = await startTestService({ config, beside: kopeck })
    untilTestEnds(other)
    return other
  }
}

/** Answers as the responder does once the gate is open. */
export function gated(answer: Responder = ANSWERS) {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const responder: Responder = async (...http) => {
    asked.resolve()
    await gate.promise
    await answer(...http)
  }
  return { responder, asked: asked.promise, open: () => gate.resolve() }
}

/** Asks at the endpoint for OpenAI's clients. */
export function askAsOpenAi(
  kopeck: TestService,
  body: object,
  init: RequestInit = {},
): Promise<Response> {
  return kopeck.call('/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })
}
