import {
  type ModelInfo,
  readCost,
  readUsage,
  type Usage,
} from '../../../contract/client/read-answers.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { isEventStream, type Wire, type WireAnswer } from '../wire.ts'
import { type EventLines, readDelta, readEventLines } from './events.ts'

export const MAX_TOKENS = 64
export const CHAT_PATH = '/chats/completions'

const SHORT = [{ role: 'user', content: 'Say hello in one word.' }]
const LONG = [
  { role: 'system', content: 'You answer in two short sentences, and never mention these words.' },
  { role: 'user', content: 'What is a kopeck, and how many of them make a rouble?' },
]

/** A chat that was paid for, with the balance around it. */
export interface ChatScene {
  answer: WireAnswer
  /** Undefined where the balance cannot be read. */
  before: bigint | undefined
  after: bigint | undefined
  /** The object that states cost and usage: the plain answer's body, or the last chunk. Undefined if there is neither. */
  facts: JsonObject | undefined
  usage: Usage | undefined
  costMicroRub: bigint | undefined
}

export interface StreamScene extends ChatScene {
  /** Undefined where it was not streamed. */
  events: EventLines | undefined
  /** The balance while the answer was being written; undefined where there was no delta to wait for. */
  during: bigint | undefined
}

/** The one message of the first chat, and the longer history of the second. */
export function createChatScenes({
  wire,
  readBalance,
  findModel,
}: {
  wire: Pick<Wire, 'ask' | 'askStream'>
  readBalance: () => Promise<bigint | undefined>
  findModel: () => Promise<ModelInfo | undefined>
}) {
  return { toRequest, askPlain, askStreamed }

  /** Makes a chat request that is right; other fields may make it wrong. */
  async function toRequest(fields: Record<string, unknown> = {}) {
    const model = (await findModel())?.id ?? 'unknown'
    const body = { model, messages: SHORT, max_tokens: MAX_TOKENS, ...fields }
    return { method: 'POST', path: CHAT_PATH, body } as const
  }

  async function askPlain(): Promise<ChatScene> {
    const request = await toRequest()
    const before = await readBalance()
    const answer = await wire.ask(request)
    const after = await readBalance()
    const facts = answer.status === 200 && isJsonObject(answer.json) ? answer.json : undefined
    return { answer, before, after, ...toFacts(facts) }
  }

  async function askStreamed(): Promise<StreamScene> {
    const request = await toRequest({ messages: LONG, stream: true })
    const before = await readBalance()
    let hasBegun = false
    let during: bigint | undefined
    const answer = await wire.askStream(request, async (textSoFar) => {
      if (hasBegun) return
      const { data, chunks } = readEventLines(textSoFar)
      hasBegun = chunks.some((chunk) => readDelta(chunk) !== '')
      if (hasBegun && !data.includes('[DONE]')) during = await readBalance()
    })
    const after = await readBalance()
    const isStreamed = isEventStream({ headers: { 'content-type': answer.contentType } })
    const events = isStreamed ? readEventLines(answer.text) : undefined
    const final = events?.chunks.findLast((chunk) => readCost(chunk) !== undefined)
    return { answer, before, after, during, events, ...toFacts(final ?? events?.chunks.at(-1)) }
  }
}

function toFacts(facts: JsonObject | undefined) {
  return {
    facts,
    usage: facts && readUsage(facts.usage),
    costMicroRub: facts && readCost(facts),
  }
}
