import { randomUUID } from 'node:crypto'
import type { OutputItem } from '../../../contract/openai/response-answer.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { AnswerPiece, ToolCallPiece } from '../../providers/provider.ts'
import { toIdentity } from './openai-wire.ts'

/** What an answer says, by the type of its part: thoughts are of an item of their own. */
type PartType = 'reasoning_text' | 'output_text' | 'refusal'

/** The event of a type, with these fields. */
export type WriteEvent = (type: string, fields: JsonObject) => string

type Call = Extract<OutputItem, { type: 'function_call' }>
type Said = Exclude<OutputItem, Call>
type Part = Said['content'][number]

/**
 * The output of one response, put together from the pieces of its answer: thoughts, a message and calls are items, and
 * each tells its beginning, its pieces and its end by events. Calls stay open until the end, since their pieces may come
 * in turn.
 */
export class ResponseOutput {
  readonly items: OutputItem[] = []
  readonly #write: WriteEvent
  readonly #calls = new Map<number, Call>()
  #said: Said | undefined

  constructor(write: WriteEvent) {
    this.#write = write
  }

  /** @returns The events of a piece. */
  add({ text, reasoning = '', refusal = '', toolCalls = [] }: AnswerPiece): string {
    return [
      this.#say('reasoning_text', reasoning),
      this.#say('output_text', text),
      this.#say('refusal', refusal),
      ...toolCalls.map((piece) => this.#call(piece)),
    ].join('')
  }

  /** @returns The events that end what is open. */
  end(): string {
    const calls = Array.from(this.#calls.values(), (call) => {
      const at = this.#placeOf(call)
      call.status = 'completed'
      return (
        this.#write('response.function_call_arguments.done', {
          ...at,
          name: call.name,
          arguments: call.arguments,
        }) + this.#endItem(call)
      )
    })
    return this.#endSaid() + calls.join('')
  }

  #say(type: PartType, delta: string): string {
    if (delta === '') return ''
    let before = ''
    let said = this.#said
    if (said === undefined || isThought(said) !== (type === 'reasoning_text')) {
      before = this.#endSaid()
      said = newSaid(type)
      this.#said = said
      before += this.#beginItem(said)
    }
    if (said.content.at(-1)?.type !== type) {
      before += this.#endPart(said)
      const part = newPart(type)
      ;(said.content as Part[]).push(part)
      before += this.#write('response.content_part.added', { ...this.#partOf(said), part })
    }
    grow(said.content.at(-1), delta)
    // OpenAI's clients look for it with every text.
    const logprobs = type === 'output_text' ? { logprobs: [] } : {}
    return (
      before + this.#write(`response.${type}.delta`, { ...this.#partOf(said), delta, ...logprobs })
    )
  }

  #call({ index, function: called, ...piece }: ToolCallPiece): string {
    const { name = '', arguments: delta = '' } = called
    let before = ''
    let call = this.#calls.get(index)
    if (call === undefined) {
      before = this.#endSaid()
      call = newCall(piece, name)
      this.#calls.set(index, call)
      before += this.#beginItem(call)
    } else if (name !== '' && call.name === '') call.name = name
    if (delta === '') return before
    call.arguments += delta
    const at = this.#placeOf(call)
    return before + this.#write('response.function_call_arguments.delta', { ...at, delta })
  }

  #beginItem(item: OutputItem): string {
    this.items.push(item)
    return this.#write('response.output_item.added', {
      output_index: this.items.length - 1,
      item: structuredClone(item),
    })
  }

  #endSaid(): string {
    const said = this.#said
    if (said === undefined) return ''
    this.#said = undefined
    const part = this.#endPart(said)
    if (said.type === 'message') said.status = 'completed'
    return part + this.#endItem(said)
  }

  #endPart(said: Said): string {
    const part = said.content.at(-1)
    if (part === undefined) return ''
    const at = this.#partOf(said)
    const whole =
      part.type === 'refusal'
        ? { refusal: part.refusal }
        : { text: part.text, ...(part.type === 'output_text' && { logprobs: [] }) }
    return (
      this.#write(`response.${part.type}.done`, { ...at, ...whole }) +
      this.#write('response.content_part.done', { ...at, part })
    )
  }

  #endItem(item: OutputItem): string {
    const output_index = this.items.indexOf(item)
    return this.#write('response.output_item.done', { output_index, item })
  }

  #placeOf(item: OutputItem) {
    return { item_id: item.id, output_index: this.items.indexOf(item) }
  }

  #partOf(said: Said) {
    return { ...this.#placeOf(said), content_index: said.content.length - 1 }
  }
}

function isThought(said: Said): boolean {
  return said.type === 'reasoning'
}

function newSaid(type: PartType): Said {
  if (type === 'reasoning_text') {
    return { id: `rs_${randomUUID()}`, type: 'reasoning', summary: [], content: [] }
  }
  return {
    id: `msg_${randomUUID()}`,
    type: 'message',
    status: 'in_progress',
    role: 'assistant',
    content: [],
  }
}

function newPart(type: PartType): Part {
  if (type === 'output_text') return { type, text: '', annotations: [], logprobs: [] }
  return type === 'refusal' ? { type, refusal: '' } : { type, text: '' }
}

function grow(part: Part | undefined, delta: string): void {
  if (part?.type === 'refusal') part.refusal += delta
  else if (part !== undefined) part.text += delta
}

function newCall(piece: JsonObject, name: string): Call {
  const { id } = toIdentity(piece)
  return {
    id: `fc_${randomUUID()}`,
    type: 'function_call',
    status: 'in_progress',
    call_id: id,
    name,
    arguments: '',
  }
}
