import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BilledRequest, countPrompt, countTokens, type Rendering } from './bill.ts'
import { type ChatBody, findFault } from './strict-request.ts'

/** What the model does in one answer. */
export interface Step {
  thought?: string
  text?: string
  calls?: readonly (readonly [name: string, given: object | string])[]
}

/** What one answer was billed at. */
export interface Bill {
  promptTokens: number
  completionTokens: number
}

const PIECE_CHARS = 7

/**
 * An HTTP server that speaks OpenAI's protocol as strictly as OpenAI does, with a model that follows a plan: the first
 * step is its answer to a user, the next one its answer to the results of the first, and so on. It counts with a real
 * tokenizer, and keeps what it billed and refused.
 */
export async function startStrictUpstream(
  plan: readonly Step[] | ((body: ChatBody) => Step),
  { rendering }: { rendering?: Rendering } = {},
) {
  const asked: ChatBody[] = []
  const bills: Bill[] = []
  const refused: string[] = []
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString()) as ChatBody
    asked.push(body)
    const fault =
      incoming.url === '/v1/chat/completions' && incoming.method === 'POST'
        ? findFault(body)
        : { message: `Invalid URL (${incoming.method} ${incoming.url})`, param: null }
    if (fault !== undefined) {
      refused.push(fault.message)
      response.writeHead(400, { 'content-type': 'application/json' })
      const error = { ...fault, type: 'invalid_request_error', code: null }
      response.end(JSON.stringify({ error }))
      return
    }
    const step =
      typeof plan === 'function' ? plan(body) : (plan[countAnswers(body)] ?? { text: 'Done.' })
    const bill = toBill(body, step, rendering)
    bills.push(bill)
    if (body.stream === true) sendEvents(response, body, step, bill)
    else sendPlain(response, body, step, bill)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    bills,
    refused,
    /** All that it billed, at 150 and 600 roubles per 1M tokens. */
    billedMicroRub: () =>
      bills.reduce(
        (sum, { promptTokens, completionTokens }) =>
          sum + BigInt(promptTokens) * 150n + BigInt(completionTokens) * 600n,
        0n,
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function countAnswers({ messages }: ChatBody): number {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(last + 1).filter(({ role }) => role === 'assistant').length
}

function toCalls({ calls = [] }: Step, { messages }: ChatBody) {
  return calls.map(([name, given], index) => ({
    id: `call_${messages.length}_${index}`,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }))
}

function toBill(body: ChatBody, step: Step, rendering: Rendering | undefined): Bill {
  const { thought = '', text = '' } = step
  let completionTokens = countTokens(thought) + countTokens(text) + 3
  for (const { function: called } of toCalls(step, body)) {
    completionTokens += countTokens(called.name) + countTokens(called.arguments) + 8
  }
  return { promptTokens: countPrompt(body as BilledRequest, rendering), completionTokens }
}

function toUsage({ promptTokens, completionTokens }: Bill, { thought = '' }: Step) {
  const details = { audio_tokens: 0 }
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { ...details, cached_tokens: 0 },
    completion_tokens_details: { ...details, reasoning_tokens: countTokens(thought) },
  }
}

function toHead({ model }: ChatBody) {
  const created = Math.floor(Date.now() / 1000)
  return { id: 'chatcmpl-1', created, model, service_tier: 'default', system_fingerprint: 'fp_1' }
}

function sendPlain(response: ServerResponse, body: ChatBody, step: Step, bill: Bill): void {
  const tool_calls = toCalls(step, body)
  const message = {
    role: 'assistant',
    content: step.text ?? null,
    refusal: null,
    annotations: [],
    ...(step.thought && { reasoning_content: step.thought }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop'
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  const usage = toUsage(bill, step)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...toHead(body), object: 'chat.completion', choices, usage }))
}

function sendEvents(response: ServerResponse, body: ChatBody, step: Step, bill: Bill): void {
  const wantsUsage = body.stream_options?.include_usage === true
  const head = { ...toHead(body), object: 'chat.completion.chunk' }
  const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
  const sendDelta = (delta: object, finish_reason: string | null = null) =>
    send({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(wantsUsage && { usage: null }),
      obfuscation: 'x',
    })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  sendDelta({ role: 'assistant', content: step.calls ? null : '', refusal: null })
  for (const reasoning_content of toPieces(step.thought)) sendDelta({ reasoning_content })
  for (const content of toPieces(step.text)) sendDelta({ content })
  const calls = toCalls(step, body)
  for (const [index, { id, type, function: called }] of calls.entries()) {
    sendDelta({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] })
    for (const given of toPieces(called.arguments)) {
      sendDelta({ tool_calls: [{ index, function: { arguments: given } }] })
    }
  }
  sendDelta({}, calls.length > 0 ? 'tool_calls' : 'stop')
  if (wantsUsage) send({ ...head, choices: [], usage: toUsage(bill, step), obfuscation: 'x' })
  response.end('data: [DONE]\n\n')
}

function toPieces(text = ''): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'gu')) ?? []
}
