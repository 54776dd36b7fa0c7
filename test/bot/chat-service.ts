import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface FinalFacts {
  /** Null: not reported. */
  costRub?: number | null
  finishReason?: string
  /** Default: 20. */
  completionTokens?: number
}

/** A chat request that is held open until the test says how it goes on. */
const THOUGHT = {
  index: 0,
  delta: { content: '', reasoning_content: 'Hm' },
  finish_reason: null,
}

export interface OpenCompletion {
  request: { model: string; messages: { role: string; content: string }[]; max_tokens: number }
  apiKey: string | undefined
  prompt: string
  isOpen(): boolean
  delta(text: string): void
  think(): void
  answer(text: string): void
  finish(final?: FinalFacts): void
  fail(message: string): void
  cut(): void
  refuse(status: number, body?: unknown, headers?: Record<string, string>): void
}

export interface ChatService {
  port: number
  completions: OpenCompletion[]
  next(): Promise<OpenCompletion>
  /** Sets the handler of every request from here on, instead of `next()`. */
  onCompletion(handler: (completion: OpenCompletion) => void): void
  close(): Promise<void>
}

const MODELS = [
  { id: 'alpha', family: 'A', prompt_rub_per_1m: 150, completion_rub_per_1m: 600 },
  { id: 'beta', family: 'B', prompt_rub_per_1m: 15, completion_rub_per_1m: 60 },
]

/** The path of the service, and that of a model behind it. */
const COMPLETIONS = ['/api/v1/chats/completions', '/v1/chat/completions']

type PricesRub = Readonly<Record<string, number>>

export interface ChatServiceOptions {
  contextTokens?: number | undefined
  pricesRub?: PricesRub | Promise<PricesRub> | undefined
}

/**
 * A small service that speaks the interface over HTTP; its answers are written by the test. A service of ours that has
 * it as its model finds it below `/v1`.
 */
export async function startChatService({
  contextTokens,
  pricesRub,
}: ChatServiceOptions = {}): Promise<ChatService> {
  const models = MODELS.map((model) => ({ ...model, context_tokens: contextTokens }))
  const completions: OpenCompletion[] = []
  const untaken: OpenCompletion[] = []
  let wanted: ((completion: OpenCompletion) => void)[] = []
  let handler: ((completion: OpenCompletion) => void) | undefined

  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const piece of incoming.setEncoding('utf8')) body += piece
    if (incoming.url === '/api/v1/chats/models') return sendJson(response, 200, { models })
    if (incoming.url === '/api/v1/prices' && pricesRub !== undefined)
      return sendJson(response, 200, { prices_rub: await pricesRub })
    if (incoming.url === '/api/v1/balance') return sendJson(response, 200, { balance_rub: 100 })
    if (incoming.url === '/api/v1/callback/secret')
      return sendJson(response, 200, { secret: 'secret' })
    if (!COMPLETIONS.includes(incoming.url ?? '')) return sendJson(response, 404, { detail: '' })
    const completion = open(response, {
      request: JSON.parse(body),
      apiKey: incoming.headers.authorization?.replace('Bearer ', ''),
    })
    completions.push(completion)
    const taker = handler ?? wanted.shift()
    if (taker) taker(completion)
    else untaken.push(completion)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    completions,
    next: async () => {
      const ready = untaken.shift()
      if (ready) return ready
      const { promise, resolve } = Promise.withResolvers<OpenCompletion>()
      wanted.push(resolve)
      return promise
    },
    onCompletion: (next) => {
      handler = next
    },
    close: async () => {
      wanted = []
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function open(
  response: ServerResponse,
  { request, apiKey }: Pick<OpenCompletion, 'request' | 'apiKey'>,
): OpenCompletion {
  const write = (event: unknown) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  const chunk = (choice: unknown, rest: object = {}) => ({
    id: 'req',
    object: 'chat.completion.chunk',
    model: request.model,
    choices: [choice],
    ...rest,
  })
  return {
    request,
    apiKey,
    prompt: request.messages.at(-1)?.content ?? '',
    isOpen: () => !response.destroyed && !response.writableEnded,
    delta,
    think: () => write(chunk(THOUGHT)),
    answer: (text) => {
      delta(text)
      finish()
    },
    finish,
    fail: (message) => {
      write({ error: { message } })
      response.end()
    },
    cut: () => response.destroy(),
    refuse: (status, body = { detail: 'no' }, headers = {}) =>
      sendJson(response, status, body, headers),
  }

  function delta(text: string): void {
    write(chunk({ index: 0, delta: { content: text }, finish_reason: null }))
  }

  function finish({
    costRub = 0.5,
    finishReason = 'stop',
    completionTokens = 20,
  }: FinalFacts = {}): void {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: completionTokens,
      total_tokens: 10 + completionTokens,
    }
    const cost = costRub === null ? {} : { cost_rub: costRub, cost_coins: costRub }
    const final = { usage, ...cost }
    write(chunk({ index: 0, delta: {}, finish_reason: finishReason }, final))
    write('[DONE]')
    response.end()
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
