import { reach, readRefusal } from '../../../../../platform/page/server.ts'
import type { SignInRefusal, SignInRefusalAnswer } from '../../api.ts'

/** Why a request did not bring what it asked for, in the terms in which the page answers it. */
export type Problem =
  | { type: 'offline' | 'session' | 'forbidden' | 'missing' | 'broken' }
  /** `detail` is the server's answer, in English. */
  | { type: 'invalid' | 'conflict'; detail: string }
  | { type: 'busy'; seconds: number }

/** A request was refused, or did not reach the server. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly problem: Problem
  readonly signIn: SignInRefusal | undefined

  constructor(problem: Problem, signIn?: SignInRefusal) {
    super(`Cannot finish request: ${problem.type}`)
    this.problem = problem
    this.signIn = signIn
  }
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface RequestOptions {
  method?: HttpMethod
  body?: unknown
  token: string | undefined
  signal?: AbortSignal | undefined
}

/** The path of the routes, relative: the page may stand below any path. */
const ROOT = 'api'

/** Answers of the server and what stands before it that ask for another try, not for a look at the log. */
const AWAY = [429, 502, 503, 504]

const RETRY_SECONDS = 5

/**
 * Sends one request.
 *
 * @throws {RequestError} If it was refused, or the server was not reached. An abort throws as `fetch` does.
 */
export async function send(path: string, options: RequestOptions): Promise<Response> {
  const { method = 'GET', body, token, signal = null } = options
  const headers = new Headers()
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init: RequestInit = { method, headers, signal }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await reach(ROOT + path, init)
  if (response === undefined) throw new RequestError({ type: 'offline' })
  if (!response.ok) throw await toError(response)
  return response
}

/** Names the problem that an error shows; an error that is no refusal is `broken`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof RequestError) return error.problem
  // A fault of the page itself: the reader learns that much, the console shows where.
  console.error(error)
  return { type: 'broken' }
}

async function toError(response: Response): Promise<RequestError> {
  const refusal = await readRefusal<SignInRefusalAnswer>(response)
  return new RequestError(problemOf(response, refusal.detail ?? ''), refusal.error)
}

function problemOf({ status, headers }: Response, detail: string): Problem {
  if (AWAY.includes(status)) {
    return { type: 'busy', seconds: Number(headers.get('retry-after')) || RETRY_SECONDS }
  }
  if (status === 401) return { type: 'session' }
  if (status === 403) return { type: 'forbidden' }
  if (status === 404) return { type: 'missing' }
  if (status === 409) return { type: 'conflict', detail }
  return status < 500 ? { type: 'invalid', detail } : { type: 'broken' }
}
