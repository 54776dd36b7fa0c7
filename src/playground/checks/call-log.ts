import type { Clock } from '../../platform/time/clock.ts'
import type { Changes } from '../updates/changes.ts'
import type { Envelope } from '../wire/envelope.ts'
import { NO_PARAMS } from '../wire/params.ts'
import type { Fault } from './faults.ts'

const CALLS_MAX = 10_000

export interface RecordedCall {
  readonly seq: number
  /** Milliseconds by the playground's clock. */
  readonly at: number
  readonly method: string
  readonly params: Readonly<Record<string, string>>
  readonly files: readonly { name: string; fileName: string; mime: string; size: number }[]
  /** The `chat_id` parameter as a number, 0 without one. */
  readonly chatId: number
  /** HTTP status; 0 if the connection was cut; `undefined` while the call is going on. */
  status: number | undefined
  /** The answer that was sent, or would have been if it had not been lost on purpose. */
  body: Envelope | undefined
  /** Milliseconds between its arrival and its answer; `undefined` while the call is going on. */
  durationMs: number | undefined
  /** How long flood control kept it waiting before it was carried out. */
  heldMs: number
  fault: Fault['kind'] | undefined
}

export function createCallLog({ clock, changes }: { clock: Clock; changes: Changes }) {
  const calls: RecordedCall[] = []
  let count = 0
  return { calls, begin, update }

  function begin(method: string, { texts, uploads } = NO_PARAMS): RecordedCall {
    const call: RecordedCall = {
      seq: ++count,
      at: clock.now(),
      method,
      params: Object.fromEntries(texts),
      files: Array.from(uploads, ([name, { fileName, mime, bytes }]) => ({
        name,
        fileName,
        mime,
        size: bytes.length,
      })),
      chatId: Number(texts.get('chat_id')) || 0,
      status: undefined,
      body: undefined,
      durationMs: undefined,
      heldMs: 0,
      fault: undefined,
    }
    calls.push(call)
    if (calls.length > CALLS_MAX) calls.shift()
    changes.emit({ kind: 'call', seq: call.seq })
    return call
  }

  function update(
    call: RecordedCall,
    facts: Partial<Pick<RecordedCall, 'status' | 'body' | 'heldMs' | 'fault'>>,
  ): void {
    Object.assign(call, facts)
    if (facts.status !== undefined) call.durationMs = clock.now() - call.at
    changes.emit({ kind: 'call', seq: call.seq })
  }
}

export type CallLog = ReturnType<typeof createCallLog>
