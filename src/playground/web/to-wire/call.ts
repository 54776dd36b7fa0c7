import type { Clock } from '../../../platform/time/clock.ts'
import type { RecordedCall } from '../../checks/call-log.ts'
import type { Lint } from '../../checks/lints.ts'
import type { WireCall, WireLint } from '../api.ts'

const VALUE_CHARS_MAX = 2_000
const SECRETS = new Set(['secret_token', 'certificate'])

/** Turns an instant of the playground's clock into Unix time in milliseconds. */
function toUnixMs(at: number, clock: Clock): number {
  return Math.round(clock.date().getTime() - (clock.now() - at))
}

/** A call without the token, which bots have in the addresses of their webhooks. */
export function toWireCall(
  call: RecordedCall,
  { token, clock }: { token: string; clock: Clock },
): WireCall {
  const { seq, method, chatId, params, files, status, durationMs, heldMs, body, fault } = call
  const refused = body?.ok === false ? body : undefined
  const retryAfter = refused?.parameters?.retry_after
  return {
    seq,
    at: toUnixMs(call.at, clock),
    method,
    chat_id: chatId,
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        SECRETS.has(name) ? '…' : shorten(value, token),
      ]),
    ),
    files: files.map(({ name, fileName, mime, size }) => ({
      name,
      file_name: fileName,
      mime,
      size,
    })),
    status: status ?? null,
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    held_ms: Math.round(heldMs),
    ...(body?.ok && { result: shorten(JSON.stringify(body.result), token) }),
    ...(refused && { description: shorten(refused.description, token) }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(fault !== undefined && { fault }),
  }
}

function shorten(value: string, token: string): string {
  // Before it is cut: half a token would be one that is not found.
  const safe = value.replaceAll(token, '…')
  return safe.length > VALUE_CHARS_MAX ? `${safe.slice(0, VALUE_CHARS_MAX)}…` : safe
}

export function toWireLint({ seq, at, rule, method, chatId }: Lint, clock: Clock): WireLint {
  return { seq, at: toUnixMs(at, clock), rule, method, chat_id: chatId }
}
