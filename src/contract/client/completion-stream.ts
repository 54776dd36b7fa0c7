import type { EventSourceMessage } from 'eventsource-parser'
import { createEventReader, EVENT_CHARS_MAX } from '../../platform/http/event-reader.ts'
import { isJsonObject, parseJson, toJsonObject } from '../../platform/http/json.ts'
import { STREAM_DONE } from '../chat.ts'
import { type CompletionFacts, firstOf, readCost, readText, readUsage } from './read-answers.ts'
import { ServiceError } from './service-error.ts'

export type CompletionEvent =
  /** The model thinks; its thoughts are not stored. */
  { type: 'thought' } | { type: 'delta'; text: string } | ({ type: 'finish' } & CompletionFacts)

type FinalFacts = { [fact in keyof CompletionFacts]?: CompletionFacts[fact] | undefined }

/**
 * Yields `thought`s and `delta`s, none empty, then one `finish`, once a finish reason and the end or the cost came.
 * @throws {ServiceError} `stream_broken`
 */
export async function* readCompletion(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<CompletionEvent, void> {
  const final: FinalFacts = {}
  let isRefused = false
  try {
    for await (const { data } of readEvents(bytes)) {
      if (data.trim() === STREAM_DONE) break
      if (data === '') continue // A keep-alive.
      const { text, isThought, isRefusal } = readChunk(data, final)
      isRefused ||= isRefusal
      if (isThought) yield { type: 'thought' }
      if (text !== '') yield { type: 'delta', text }
    }
  } catch (cause) {
    const isSettled = final.finishReason !== undefined && final.costMicroRub !== undefined
    if (!isSettled && cause instanceof ServiceError) throw cause
    if (!isSettled) throw broken('the connection failed before the end', { cause })
  }
  const { requestId = '', finishReason, usage, costMicroRub } = final
  if (finishReason === undefined) throw broken('it ended before a finish reason')
  // Providers end a refusal like any answer.
  const reason = isRefused && finishReason === 'stop' ? 'refusal' : finishReason
  yield { type: 'finish', requestId, finishReason: reason, usage, costMicroRub }
}

async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const reader = createEventReader()
  for await (const piece of bytes) {
    yield* reader.read(piece)
    if (reader.isOverfull()) {
      throw new Error(`Cannot read event: longer than ${EVENT_CHARS_MAX} characters`)
    }
  }
  yield* reader.readEnd()
}

/** Reads a chunk and adds its facts. Usage may come in every chunk, or after the finish reason: the last wins. */
function readChunk(data: string, final: FinalFacts) {
  const json = parseJson(data)
  if (!isJsonObject(json)) throw broken('an event is not readable')
  const { error } = json
  if (error !== undefined && error !== null) {
    const detail = readText(error) ?? readText(toJsonObject(error).message)
    throw broken('the service ended it with an error', { detail })
  }
  const choice = toJsonObject(Array.isArray(json.choices) ? json.choices[0] : undefined)
  const delta = toJsonObject(choice.delta)
  const content = readText(delta.content) ?? ''
  const refusal = readText(delta.refusal)
  // Some services send the words of a refusal only there, some also as content.
  const words = refusal === undefined || content.includes(refusal) ? '' : refusal
  final.requestId ??= firstOf(json, ['id', 'request_id'], readText)
  final.finishReason = readText(choice.finish_reason) ?? final.finishReason
  final.usage = readUsage(json.usage) ?? final.usage
  final.costMicroRub = readCost(json) ?? final.costMicroRub
  const isThought = readText(delta.reasoning_content) !== undefined
  return { text: content + words, isThought, isRefusal: refusal !== undefined }
}

function broken(reason: string, facts: { cause?: unknown; detail?: string | undefined } = {}) {
  return new ServiceError('stream_broken', `Cannot read completion: ${reason}`, facts)
}
