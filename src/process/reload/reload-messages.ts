import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { createGuard } from '../../platform/guard.ts'
import { parseJson } from '../../platform/http/json.ts'

/** Asks every process of the service to read its config again. */
export const RELOAD_CHANNEL = 'service_reload'
/** Reports the outcome of that in a process. */
export const RELOADED_CHANNEL = 'service_reloaded'

const ReloadRequest = Type.Object({ request: Type.String() })
type ReloadRequest = Static<typeof ReloadRequest>

const Reloaded = Type.Union([
  Type.Object({
    outcome: Type.Literal('taken'),
    /** The digest of the file. */
    digest: Type.String(),
    models: Type.Integer(),
    endpoints: Type.Integer(),
    /** The variables of keys that it did not use before. A process of an earlier version does not tell. */
    newKeys: Type.Optional(Type.Array(Type.String())),
    /** The variables of keys that it was started with, and that `.env` has otherwise. */
    keptKeys: Type.Optional(Type.Array(Type.String())),
  }),
  /** Nothing has changed. */
  Type.Object({ outcome: Type.Literal('refused'), problems: Type.Array(Type.String()) }),
])
/** The outcome of reading the config again. */
export type Reloaded = Static<typeof Reloaded>

const ReloadAnswer = Type.Object({
  request: Type.String(),
  /** The process (`public.instance`). */
  instance: Type.Integer(),
  host: Type.String(),
  pid: Type.Integer(),
  reloaded: Reloaded,
})
/** The answer of one process. */
export type ReloadAnswer = Static<typeof ReloadAnswer>

const isRequest = createGuard(ReloadRequest)
const isAnswer = createGuard(ReloadAnswer)

/** PostgreSQL takes less than 8,000 bytes; a character has up to four. */
const PROBLEMS_MAX = 6
const PROBLEM_CHARS_MAX = 250
const KEYS_MAX = 20

/** Creates a request with an id of its own. */
export function createRequest(): ReloadRequest {
  return { request: randomUUID() }
}

/** Reads a notification; undefined if it is none of ours. */
export function readRequest(payload: string): ReloadRequest | undefined {
  const request = parseJson(payload)
  return isRequest(request) ? request : undefined
}

/** Reads a notification; undefined if it is none of ours. */
export function readReloadAnswer(payload: string): ReloadAnswer | undefined {
  const answer = parseJson(payload)
  return isAnswer(answer) ? answer : undefined
}

/** Writes an answer as a notification can hold it: of many problems or keys it has the first ones. */
export function writeAnswer({ reloaded, ...answer }: ReloadAnswer): string {
  if (reloaded.outcome === 'taken') {
    const { newKeys = [], keptKeys = [], ...taken } = reloaded
    const keys = { newKeys: newKeys.slice(0, KEYS_MAX), keptKeys: keptKeys.slice(0, KEYS_MAX) }
    return JSON.stringify({ ...answer, reloaded: { ...taken, ...keys } })
  }
  const first = reloaded.problems.slice(0, PROBLEMS_MAX)
  const rest = reloaded.problems.length - first.length
  const problems = first.map((problem) => problem.slice(0, PROBLEM_CHARS_MAX))
  if (rest > 0) problems.push(`and ${rest} more: the log of the process has them all`)
  return JSON.stringify({ ...answer, reloaded: { outcome: 'refused', problems } })
}
