import {
  type ModelInfo,
  readCost,
  readUsage,
  type Usage,
} from '../../../contract/client/read-answers.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import type { WireAnswer } from '../answer.ts'
import type { Budget } from '../budget.ts'
import type { Customer } from '../customer.ts'
import { priceChat } from '../money.ts'
import { isEventStream, type Wire } from '../wire.ts'
import { type EventLines, readDelta, readEventLines } from './events.ts'

export const MAX_TOKENS = 64
export const CHAT_PATH = '/chats/completions'

const SHORT = [{ role: 'user', content: 'Say hello in one word.' }]
/** Ends like the short one: what it costs more is of what was said before. */
const LONG = [
  { role: 'system', content: 'You answer in two short sentences, and never mention these words.' },
  { role: 'user', content: 'What is a kopeck, and how many of them make a rouble?' },
  ...SHORT,
]
/** What the dearer of two holds is dearer by, so that a balance in kopecks shows it. */
const DEARER_MICRO_RUB = 200_000n
export const DEARER_TOKENS = { min: 192, max: 8_000 }

/** A chat that may be charged for, with the balance around it. */
export interface ChatScene {
  answer: WireAnswer
  /** Undefined where the balance cannot be read. */
  before: bigint | undefined
  /** When it had moved as was told, or had had the time for it. */
  after: bigint | undefined
  /** How long it took to. */
  lateMs: number
  maxTokens: number
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

/** Creates the chats that are played with a service: each alone with its balance. */
export function createChatScenes({
  wire,
  account,
  budget,
  findModel,
}: {
  wire: Pick<Wire, 'ask' | 'askStream'>
  account: Customer
  budget: Budget
  findModel: (name?: string) => Promise<ModelInfo | undefined>
}) {
  return { toRequest, askPlain, askStreamed, findDearerTokens }

  /** Makes a chat request that is right; other fields may make it wrong. */
  async function toRequest(fields: Record<string, unknown> = {}) {
    const model = (await findModel())?.id ?? 'unknown'
    const body = { model, messages: SHORT, max_tokens: MAX_TOKENS, ...fields }
    return { method: 'POST', path: CHAT_PATH, body } as const
  }

  /** The tokens of an answer for which visibly more is held than for `MAX_TOKENS`. */
  async function findDearerTokens(): Promise<number> {
    const { completionMicroRubPer1m: price = 1n } = (await findModel()) ?? {}
    const more = Number((DEARER_MICRO_RUB * 1_000_000n) / price) + 1
    return MAX_TOKENS + Math.min(DEARER_TOKENS.max, Math.max(DEARER_TOKENS.min, more))
  }

  /** @param model The cheapest one by default. */
  async function askPlain(model?: string): Promise<ChatScene> {
    const request = await toRequest(model === undefined ? {} : { model })
    return await pay(request, async (before) => {
      const answer = await wire.ask(request)
      const facts = answer.status === 200 && isJsonObject(answer.json) ? answer.json : undefined
      const { usage, costMicroRub } = toFacts(facts)
      return { answer, facts, usage, costMicroRub, ...(await settle(before, answer, costMicroRub)) }
    })
  }

  async function askStreamed({
    model,
    maxTokens = MAX_TOKENS,
  }: {
    model?: string
    maxTokens?: number
  } = {}): Promise<StreamScene> {
    const fields = { messages: LONG, stream: true, max_tokens: maxTokens }
    const request = await toRequest({ ...fields, ...(model !== undefined && { model }) })
    return await pay(request, async (before) => {
      let hasBegun = false
      let during: bigint | undefined
      const answer = await wire.askStream(request, async (textSoFar) => {
        if (hasBegun) return
        const { data, chunks } = readEventLines(textSoFar)
        hasBegun = chunks.some((chunk) => readDelta(chunk) !== '')
        if (hasBegun && !data.includes('[DONE]')) during = await account.readBalance()
      })
      const isStreamed = isEventStream({ headers: { 'content-type': answer.contentType } })
      const events = isStreamed ? readEventLines(answer.text) : undefined
      const final = events?.chunks.findLast((chunk) => readCost(chunk) !== undefined)
      const { facts, usage, costMicroRub } = toFacts(final ?? events?.chunks.at(-1))
      const held = before !== undefined && during !== undefined ? before - during : undefined
      const settled = await settle(before, answer, costMicroRub ?? held)
      return { answer, during, events, facts, usage, costMicroRub, ...settled }
    })
  }

  async function pay<Scene extends { after: bigint | undefined }>(
    { body }: { body: { model: string; max_tokens: number } },
    play: (before: bigint | undefined) => Promise<Scene>,
  ): Promise<Scene & { before: bigint | undefined; maxTokens: number }> {
    const { model, max_tokens: maxTokens } = body
    const most = priceChat((await findModel(model)) ?? {}, maxTokens)
    return await account.alone(async () => {
      budget.take(`a chat of ${model}`, most)
      const before = await account.readBalance()
      const scene = await play(before)
      const { after } = scene
      if (before !== undefined && after !== undefined)
        budget.giveBack((most ?? 0n) - before + after)
      return { ...scene, before, maxTokens }
    })
  }

  /** @param movedMicroRub What the balance should have moved by; undefined if that is not known. */
  async function settle(
    before: bigint | undefined,
    { status }: WireAnswer,
    movedMicroRub: bigint | undefined,
  ): Promise<{ after: bigint | undefined; lateMs: number }> {
    const expected = status === 200 ? movedMicroRub : 0n
    const { balance: after, lateMs } = await account.awaitBalance((balance) => {
      if (before === undefined || expected === undefined) return true
      // Less than a kopeck may be rounded to nothing, or may not have moved yet.
      const hasMoved = balance !== before || expected === 0n
      return hasMoved && account.hasMovedBy(expected, before, balance)
    })
    return { after, lateMs }
  }
}

function toFacts(facts: JsonObject | undefined) {
  return {
    facts,
    usage: facts && readUsage(facts.usage),
    costMicroRub: facts && readCost(facts),
  }
}
