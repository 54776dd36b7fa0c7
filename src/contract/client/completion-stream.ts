import type { EventSourceMessage } from 'eventsource-parser'
import { createEventReader, EVENT_CHARS_MAX } from '../../platform/http/event-reader.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { STREAM_DONE } from '../chat.ts'
import { StreamBrokenError } from './errors.ts'
import { type CompletionFacts, readCost, readUsage } from './read-answers.ts'
import { firstOf, readText } from './read-json.ts'

export type CompletionEvent =
  /** The model thinks; its thoughts are nobody's to keep. */
  { type: 'thought' } | { type: 'delta'; text: string } | CompletionFinish

type CompletionFinish = { type: 'finish' } & CompletionFacts

type StreamEvent =
  | { type: 'done' }
  | { type: 'chunk'; chunk: Chunk }
  | { type: 'broken'; reason: string; detail?: string | undefined }

type FinalFacts = { [fact in keyof CompletionFacts]?: CompletionFacts[fact] | undefined }

type Chunk = { text: string; isThought?: boolean; isRefusal?: boolean } & FinalFacts

/**
 * Reads the bytes of a streamed completion.
 *
 * The stream is whole once a finish reason came and the stream ended in order, with `[DONE]` or
 * without. Once the cost came as well nothing after it matters: the answer is there and paid.
 *
 * @yields Any number of `thought`s and `delta`s in wire order, none empty, then exactly one `finish`.
 * @throws {StreamBrokenError} If the stream breaks off or says so itself.
 */
export async function* readCompletion(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<CompletionEvent, void> {
  let text = ''
  let isRefused = false
  const final: FinalFacts = {}
  const isSettled = () => final.finishReason !== undefined && final.costMicroRub !== undefined

  try {
    reading: for await (const events of readEvents(bytes)) {
      for (const { data } of events) {
        const event = parseEvent(data)
        if (event.type === 'done') break reading
        if (event.type === 'chunk') {
          addFacts(final, event.chunk)
          if (event.chunk.isRefusal) isRefused = true
          if (event.chunk.isThought) yield { type: 'thought' }
          if (event.chunk.text === '') continue
          text += event.chunk.text
          yield { type: 'delta', text: event.chunk.text }
        } else if (!isSettled()) {
          throw new StreamBrokenError(broken(event.reason), { text, detail: event.detail })
        }
      }
    }
  } catch (cause) {
    if (cause instanceof StreamBrokenError) throw cause
    if (!isSettled()) {
      throw new StreamBrokenError(broken('the connection failed before the end'), { text, cause })
    }
  }

  const { requestId = '', model = '', finishReason, usage, costMicroRub } = final
  if (finishReason === undefined) {
    throw new StreamBrokenError(broken('it ended before a finish reason'), { text })
  }
  // Providers end a refusal as any answer.
  const reason = isRefused && finishReason === 'stop' ? 'refusal' : finishReason
  yield { type: 'finish', requestId, model, finishReason: reason, usage, costMicroRub }
}

/**
 * Cuts bytes into the data of server-sent events. An event without its empty line at the very end counts.
 *
 * @yields Those that a piece of the bytes completes: one wait serves all of them.
 */
async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly EventSourceMessage[], void> {
  const reader = createEventReader()
  for await (const piece of bytes) {
    yield reader.read(piece)
    if (reader.isOverfull()) {
      throw new Error(`Cannot read event: longer than ${EVENT_CHARS_MAX} characters`)
    }
  }
  yield reader.readEnd()
}

function parseEvent(data: string): StreamEvent {
  if (data === '') return { type: 'chunk', chunk: { text: '' } } // A keep-alive.
  if (data.trim() === STREAM_DONE) return { type: 'done' }
  const json = parseJson(data)
  if (!isJsonObject(json)) return { type: 'broken', reason: 'an event is not readable' }
  if (json.error !== undefined && json.error !== null) {
    const message = isJsonObject(json.error) ? json.error.message : json.error
    const reason = 'the service ended it with an error'
    return { type: 'broken', reason, detail: readText(message) }
  }
  const choice: unknown = Array.isArray(json.choices) ? json.choices[0] : undefined
  const delta = isJsonObject(choice) && isJsonObject(choice.delta) ? choice.delta : {}
  const content = readText(delta.content) ?? ''
  const refusal = readText(delta.refusal)
  // Some services send the words of a refusal there alone, some in the content, too.
  const words = refusal === undefined || content.includes(refusal) ? '' : refusal
  return {
    type: 'chunk',
    chunk: {
      requestId: firstOf(json, ['id', 'request_id'], readText),
      model: readText(json.model),
      text: content + words,
      isThought: readText(delta.reasoning_content) !== undefined,
      isRefusal: refusal !== undefined,
      finishReason: isJsonObject(choice) ? readText(choice.finish_reason) : undefined,
      usage: readUsage(json.usage),
      costMicroRub: readCost(json),
    },
  }
}

/** Usage may come in a chunk of its own after the finish reason, or in every chunk: the last wins. */
function addFacts(final: FinalFacts, chunk: Chunk): void {
  final.requestId ??= chunk.requestId
  final.model ??= chunk.model
  final.finishReason = chunk.finishReason ?? final.finishReason
  final.usage = chunk.usage ?? final.usage
  final.costMicroRub = chunk.costMicroRub ?? final.costMicroRub
}

function broken(reason: string): string {
  return `Cannot read completion: ${reason}`
}
