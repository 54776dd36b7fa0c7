import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'

/** A stream of events as the interface shapes it, cut into its parts. */
export interface EventLines {
  /** The data of each event, in order. */
  data: string[]
  /** The data that are JSON objects. */
  chunks: JsonObject[]
  /** A description of the first event that is not one line `data: …` and an empty line. */
  problem: string | undefined
}

/** Cuts the bytes of a stream into events. Comments are allowed: readers of events pass over them. */
export function readEventLines(text: string): EventLines {
  const blocks = text.split(/\r?\n\r?\n/)
  const rest = blocks.pop()
  const data: string[] = []
  let problem = rest === '' ? undefined : 'the last event has no empty line after it'
  for (const block of blocks) {
    const lines = block.split(/\r?\n/).filter((line) => !line.startsWith(':'))
    if (lines.length === 0) continue
    const isOneLine = lines.length === 1 && lines[0]?.startsWith('data: ')
    if (!isOneLine) problem ??= 'an event is not one line "data: …"'
    const dataLines = lines.filter((line) => line.startsWith('data:'))
    data.push(dataLines.map((line) => line.replace(/^data: ?/, '')).join('\n'))
  }
  return { data, chunks: data.map(parseJson).filter(isJsonObject), problem }
}

/** The only choice of a chunk. */
export function readChoice(chunk: JsonObject): JsonObject | undefined {
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  return isJsonObject(choice) ? choice : undefined
}

/** The text that a chunk adds; empty where it adds none. */
export function readDelta(chunk: JsonObject): string {
  const delta = readChoice(chunk)?.delta
  const content = isJsonObject(delta) ? delta.content : undefined
  return typeof content === 'string' ? content : ''
}
