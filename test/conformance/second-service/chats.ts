import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { type Account, admit, take } from './accounts.ts'
import { type Fields, hasFields, Refused } from './refused.ts'

const CHATS_A_MINUTE = 30
const DEFAULT_TOKENS = 512
const WORD_MS = 15
const ROLES: readonly unknown[] = ['system', 'user', 'assistant']
const ANSWER =
  'A kopeck is the hundredth part of a rouble, and it used to buy a bun; now it buys nothing, but it still counts.'

/** A model and its prices, in whole roubles per million tokens. */
interface Model {
  id: string
  group: string
  window: number
  input: number
  output: number
}

const MODELS: readonly Model[] = [
  { id: 'elbrus-9', group: 'Elbrus', window: 1_000_000, input: 240, output: 960 },
  { id: 'elbrus-9-lite', group: 'Elbrus', window: 1_000_000, input: 60, output: 180 },
  { id: 'kazbek', group: 'Kazbek', window: 1_000_000, input: 310, output: 1550 },
  { id: 'kazbek-mini', group: 'Kazbek', window: 1_000_000, input: 45, output: 225 },
  { id: 'ural-max', group: 'Ural', window: 1_100_000, input: 500, output: 2000 },
  { id: 'ural-pro', group: 'Ural', window: 1_100_000, input: 125, output: 500 },
  { id: 'ural-one', group: 'Ural', window: 1_100_000, input: 70, output: 280 },
]
/** Models that are not listed. Each is there to fail in its way, before its answer or in the middle of it. */
const FAILING = {
  'trouble-refused': new Refused(502, 'The model behind us said no.'),
  'trouble-away': new Refused(503, 'The model behind us is asleep.'),
  'trouble-broken': new Refused(503, 'The model behind us lost its thread.'),
}

/** It is not listed, either: it thinks longer than it was asked to, and its thoughts are paid for. */
const THINKING = 'trouble-longer'
const THOUGHTS_TIMES = 3

/** The list of models, as it is written here. */
export function listModels() {
  const items = MODELS.map(({ id, group, window, input, output }) => ({
    model_id: id,
    group,
    context_window: window,
    pricing: { currency: 'RUB', input: input.toFixed(2), output: output.toFixed(2) },
    released: '2026-01-15',
  }))
  return { total: items.length, items }
}

interface Chat {
  model: Model
  promptTokens: number
  maxTokens: number
  isStreamed: boolean
}

export interface ChatsDeps {
  clock: Clock
  /** How long after an answer its cost is put right. */
  settleLateMs: number
  /** Runs something later, until the service stops. */
  later: (delayMs: number, work: () => void) => void
  refund: (account: Account, kopecks: number) => void
}

/** Answers chats: takes an estimate, and puts it right some time after. */
export function createChats({ clock, settleLateMs, later, refund }: ChatsDeps) {
  return { answer }

  /** @returns The body of a plain answer; undefined where it has streamed it. */
  async function answer(
    account: Account,
    body: unknown,
    response: ServerResponse,
  ): Promise<object | undefined> {
    const chat = readChat(body)
    admit(account, 'chats', { most: CHATS_A_MINUTE, clock })
    const held = toKopecks(chat.model, chat.promptTokens * 2, chat.maxTokens)
    take(account, held)
    const failure = FAILING[chat.model.id as keyof typeof FAILING]
    const breaks = chat.model.id === 'trouble-broken' && chat.isStreamed
    if (failure !== undefined && !breaks) {
      refund(account, held)
      throw failure
    }
    const words = ANSWER.split(/(?= )/).slice(0, breaks ? 6 : chat.maxTokens)
    const isWhole = words.length === ANSWER.split(' ').length
    const thoughts = chat.model.id === THINKING ? THOUGHTS_TIMES * chat.maxTokens : 0
    const answerTokens = words.length + thoughts
    const cost = toKopecks(chat.model, chat.promptTokens, answerTokens)
    const facts = {
      usage: {
        prompt_tokens: chat.promptTokens,
        completion_tokens: answerTokens,
        total_tokens: chat.promptTokens + answerTokens,
        counted_by: 'words',
      },
      cost_rub: cost / 100,
      cost_coins: cost / 100,
      held_rub: held / 100,
    }
    const finish = isWhole ? 'stop' : 'length'
    const settle = () => {
      later(settleLateMs, () => {
        account.kopecks += held - cost
      })
    }
    if (!chat.isStreamed) {
      await clock.sleep(WORD_MS * 4)
      settle()
      const { id: model } = chat.model
      const content = words.join('')
      return { request_id: `req-${randomUUID()}`, model, content, finish_reason: finish, ...facts }
    }
    const id = `req-${randomUUID()}`
    const head = { id, object: 'chat.completion.chunk', model: chat.model.id, created: 0 }
    const write = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const content of words) {
      await clock.sleep(WORD_MS)
      // Who leaves has had a part of it: the estimate stays.
      if (response.destroyed) return undefined
      write({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
    }
    if (breaks) {
      response.end(`data: ${JSON.stringify({ error: { message: 'Lost the thread.', at: 6 } })}\n\n`)
      return undefined
    }
    write({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }], ...facts })
    settle()
    response.end('data: [DONE]\n\n')
    return undefined
  }
}

/** @throws {Refused} 422, in one sentence. */
function readChat(body: unknown): Chat {
  if (!hasFields(body)) throw new Refused(422, 'Send an object.')
  const { model: id, messages, max_tokens: maxTokens = DEFAULT_TOKENS, stream = false } = body
  const unlisted = [...Object.keys(FAILING), THINKING].map((id) => ({ ...MODELS[1], id }) as Model)
  const model = [...MODELS, ...unlisted].find((each) => each.id === id)
  if (model === undefined) throw new Refused(422, 'Which model? See the list of them.')
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isMessage)) {
    throw new Refused(422, 'Messages are a list of a role and a text each.')
  }
  const isNumber = Number.isInteger(maxTokens) && Number(maxTokens) >= 1
  if (!isNumber || Number(maxTokens) > model.window) {
    throw new Refused(422, 'That is no number of tokens which the model can write.')
  }
  if (typeof stream !== 'boolean') throw new Refused(422, 'Stream it or not: true or false.')
  const promptTokens = messages.reduce(
    (sum, { content }) => sum + 5 + Math.ceil(Buffer.byteLength(content) / 4),
    0,
  )
  if (promptTokens > model.window) throw new Refused(422, 'The model cannot read so much.')
  return { model, promptTokens, maxTokens: Number(maxTokens), isStreamed: stream }
}

function isMessage(value: unknown): value is Fields & { content: string } {
  if (!hasFields(value)) return false
  return ROLES.includes(value.role) && typeof value.content === 'string' && value.content !== ''
}

/** A begun kopeck is a whole one. A price per million tokens is as many millionths for one. */
function toKopecks({ input, output }: Model, promptTokens: number, answerTokens: number): number {
  return Math.ceil((promptTokens * input + answerTokens * output) / 10_000)
}
