import type { Responder } from '../../../service/providers/openai-server.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  sendsSlowly,
  usage,
} from '../../../service/providers/openai-server.ts'
import type { Random } from '../random.ts'
import { priceOf } from '../spend/service-config.ts'

/** What the model billed for one request. */
export interface Bill {
  asked: string
  microRub: bigint
}

/** An honest model that takes a while for each answer, and bills what it wrote whether anybody reads it or not. */
export function createBillingModel(random: Random) {
  const bills: Bill[] = []
  return { bills, respond }

  function respond(body: unknown): Responder {
    const { messages, stream } = body as { messages: { content: string }[]; stream?: boolean }
    const words = Array.from({ length: random.integer(5, 25) }, () => delta('рубль '))
    const tokens = { promptTokens: random.integer(10, 2_000), completionTokens: words.length }
    bills.push({ asked: messages.at(-1)?.content ?? '', microRub: priceOf(tokens) })
    const parts = [...words, finish(), usage(tokens.promptTokens, tokens.completionTokens), DONE]
    // Its answers end all through the faults.
    const slowly = sendsSlowly(parts, () => random.integer(20, 300))
    return stream === false ? sends(...parts) : slowly
  }
}
