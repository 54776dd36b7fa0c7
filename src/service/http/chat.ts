/** Both chat endpoints. A request is refused or answered with its real cost, and a wrong one is refused before its hold. */
import type { FastifyBaseLogger, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ChatClient, ClientGoneError } from '../chat/chat-client.ts'
import type { ServedModels } from '../chat/models.ts'
import type { CompletionCost } from '../chat/price.ts'
import type { CheckedChat, CompletionRun } from '../chat/run.ts'
import type { ChatWire, CreateChatWire } from '../chat/wire.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import { LIMITS } from '../ledger/rate-window.ts'
import { type AnswerPiece, ProviderError } from '../providers/provider.ts'
import type { HttpContext } from './context.ts'
import { ReplyStream } from './event-stream.ts'
import { readRepeatable } from './idempotency-key.ts'
import { type RefusalForm, toLogLine } from './refusals.ts'

/** A full context of Russian text takes 8 to 12 MB, 28 MB with every letter escaped. */
const BODY_BYTES_MAX = 32 * 1024 * 1024
const MINUTE_MS = 60_000

export interface AskedChat
  extends Pick<CheckedChat, 'model' | 'messages' | 'promptTokens' | 'maxTokens' | 'parameters'> {
  isStreamed: boolean
  createWire: CreateChatWire
}

export interface ChatEndpoint {
  path: string
  /** @throws {Refusal} */
  read(body: unknown, models: ServedModels): AskedChat
  refusalsAs: RefusalForm
}

export function chatRoute(context: HttpContext, endpoint: ChatEndpoint): FastifyPluginAsync {
  const { path, refusalsAs } = endpoint
  const config = { refusalsAs, keyIsProvenByHold: true } as const
  return async (app) => {
    app.post(path, { bodyLimit: BODY_BYTES_MAX, config }, (request, reply) =>
      answer(context, endpoint, { request, reply }),
    )
  }
}

async function answer(
  context: HttpContext,
  endpoint: ChatEndpoint,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<object> {
  const asked = endpoint.read(request.body, context.offers.models())
  // The messages stay as long as the answer takes, the rest can go; the type knows a body to the end.
  request.body = undefined as never
  const client = new ChatClient()
  request.client = client
  if (reply.raw.destroyed) client.leave()
  const { isStreamed, createWire } = asked
  const chat: CheckedChat = {
    ...asked,
    repeatable: readRepeatable(request, asked),
    accountId: request.account.id,
    keyId: request.account.keyId,
    limit: LIMITS.chat,
    client,
    onUpstream: (upstream) => {
      request.answeredBy = { model: asked.model.id, upstream }
    },
    log: request.log,
  }
  const write = async (run: CompletionRun) => {
    const wire = createWire(run)
    if (isStreamed) return await writeStream(run, wire, new ReplyStream(reply, client), request.log)
    const body = await writeWhole(run, wire)
    if (client.hasLeft) {
      request.log.info({ requestId: run.requestId }, 'client left, its answer is charged')
    }
    return body
  }
  const onStanding = (standing: LimitStanding) => void reply.headers(toLimitHeaders(standing))
  const endStream = isStreamed ? context.metrics.streamOpened() : undefined
  const answering = context.completions.run(chat, write, onStanding)
  request.answering = answering
  try {
    return (await answering) ?? reply
  } finally {
    endStream?.()
  }
}

/** Answers with one JSON body. If the provider breaks off in the middle, nothing is charged. */
async function writeWhole(run: CompletionRun, wire: ChatWire): Promise<object> {
  const { answer, ...finish } = await run.plain()
  let body: object | undefined
  // The ids in it are made once: a repeat gets the same body.
  const toBody = (cost: CompletionCost) => {
    body ??= wire.plain(answer, finish.finishReason, cost)
    return body
  }
  return toBody(await run.settle(finish, toBody))
}

/** Streams an answer: the headers wait for the first piece, the end for the settlement. Throws only before the headers. */
async function writeStream(
  run: CompletionRun,
  wire: ChatWire,
  stream: ReplyStream,
  log: FastifyBaseLogger,
): Promise<undefined> {
  let isOpen = false
  try {
    const finish = await run.stream((pieces) => (isOpen ? write(pieces) : begin(pieces)))
    const cost = await run.settle(finish)
    if (!isOpen) stream.open()
    await stream.end(wire.end(finish.finishReason, cost))
  } catch (error) {
    if (!isOpen) throw error
    const line = toLogLine(error)
    if (error instanceof ClientGoneError) log.info('client left a stream')
    else if (line !== undefined) log.warn({ ...line, requestId: run.requestId }, 'stream broke')
    await run.giveUp()
    const isFitForCallers = error instanceof ProviderError
    const message = isFitForCallers ? error.message : 'The service could not finish the answer.'
    await stream.end(wire.error(message))
  }

  async function begin(pieces: readonly AnswerPiece[]): Promise<void> {
    await run.markOutput()
    stream.open()
    isOpen = true
    await write(pieces)
  }

  function write(pieces: readonly AnswerPiece[]): Promise<void> | undefined {
    return stream.write(pieces.map((piece) => wire.delta(piece)).join(''))
  }
}

function toLimitHeaders({ requestsMax, requestsLeft, resetMs }: LimitStanding) {
  return {
    'x-ratelimit-limit-requests': requestsMax,
    'x-ratelimit-remaining-requests': requestsLeft,
    'x-ratelimit-reset-requests': toDuration(Math.ceil(resetMs)),
  }
}

function toDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / MINUTE_MS)
  return `${minutes === 0 ? '' : `${minutes}m`}${(ms % MINUTE_MS) / 1000}s`
}
