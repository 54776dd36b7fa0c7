import type { Actions, FaultName } from '../../../web/api.ts'

/** The content of the form's fields. */
export interface FaultFields {
  kind: FaultName
  /** Empty: any. */
  method: string
  /** Empty: until it is switched off. */
  times: string
  retryAfterSeconds: string
  delayMs: string
  /** `CHAT` of the blocked, `CHAT/TOPIC` of the deleted. */
  where: string
}

type FaultBody = Actions['/faults']['body']

/** Checks whether a kind hits calls; the others happen in a chat, and calls fail by themselves. */
export function hitsCalls(kind: FaultName): boolean {
  return kind !== 'blocked' && kind !== 'topic_deleted'
}

/** Reads the form as the server takes it; undefined while something in it is missing or no number. */
export function readFault(fields: FaultFields): FaultBody | undefined {
  const { kind } = fields
  if (!hitsCalls(kind)) return readPlace(fields)
  const times = fields.times.trim() === '' ? null : toCount(fields.times)
  if (times === undefined) return undefined
  const fault = { kind, method: fields.method.trim(), ...(times !== null && { times }) }
  if (kind === '429') {
    const seconds = toCount(fields.retryAfterSeconds)
    return seconds === undefined ? undefined : { ...fault, retry_after: seconds }
  }
  if (kind !== 'slow') return fault
  const delayMs = toCount(fields.delayMs)
  return delayMs === undefined ? undefined : { ...fault, delay_ms: delayMs }
}

function readPlace({ kind, where }: FaultFields): FaultBody | undefined {
  const [chatId, threadId] = where.split('/').map(Number)
  if (!chatId) return undefined
  if (kind === 'blocked') return { kind, method: '', chat_id: chatId }
  return threadId ? { kind, method: '', chat_id: chatId, thread_id: threadId } : undefined
}

function toCount(text: string): number | undefined {
  const count = Number(text)
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}
