import { signal } from '@preact/signals'
import type { SignInAnswer, SignInBody, SignInRefusal, WireVisitor } from '../../api.ts'
import { launchInitData } from '../telegram/launch.ts'
import { setKnownLanguage } from '../words/language.ts'
import { type Problem, RequestError, type RequestOptions, send, toProblem } from './request.ts'

/** The session of the reader. `isOver`: it ended under them, and what they typed waits for the next. */
export type PageSession =
  | { state: 'starting' }
  | { state: 'open'; me: WireVisitor; isOver: boolean }
  | { state: 'none'; error?: SignInRefusal; problem?: Problem; hasSignedOut?: boolean }

/** A tab keeps its token over a reload; `sessionStorage` ends with the tab. */
const KEY = 'session'

export const session = signal<PageSession>({ state: 'starting' })

/** How often a session was opened or its role changed: what is shown is read again after each. */
export const openings = signal(0)

/** A tab that signs in by a new link gives the session to tabs whose own is over. */
const tabs = new BroadcastChannel('session')
tabs.onmessage = ({ data }: MessageEvent<string>) => {
  if (session.value.state === 'open' && session.value.isOver) void resume(data)
}

let token = sessionStorage.getItem(KEY) ?? undefined

/** Signs in by the link that opened the page, the session that this tab has, or Telegram's word. */
export async function start(link: string | undefined): Promise<void> {
  session.value = { state: 'starting' }
  const initData = launchInitData()
  try {
    if (link !== undefined) await signIn({ link })
    else if (token !== undefined) await open(token)
    else if (initData !== undefined) await signIn({ initData })
    else session.value = { state: 'none' }
  } catch (error) {
    const isOver = error instanceof RequestError && error.problem.type === 'session'
    // The token of before is worth nothing now; Telegram's launch data may be good yet.
    if (isOver && link === undefined && token !== undefined) {
      forget()
      return start(undefined)
    }
    session.value = toNone(error)
  }
}

/**
 * Sends a request of who signed in.
 *
 * @throws {RequestError} As {@link send}; after a refusal of the session, the page says what to do.
 */
export async function sendSigned(
  path: string,
  options: Omit<RequestOptions, 'token'> = {},
): Promise<Response> {
  try {
    return await send(path, { ...options, token })
  } catch (error) {
    if (!(error instanceof RequestError) || error.problem.type !== 'session') throw error
    if (!(await signInAgain())) throw error
    return await send(path, { ...options, token })
  }
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  // The server may be away, or have ended it: either way it is over here.
  await send('/session', { method: 'DELETE', token }).catch(() => undefined)
  forget()
  session.value = { state: 'none', hasSignedOut: true }
}

/** Reads again who this is, after the server answered that the role changed. */
export async function readMe(): Promise<void> {
  await sendSigned('/session').then(
    async (response) => toOpen(await response.json()),
    () => endSession(),
  )
}

/** Says on the page that the session is over; what is shown and typed stays. */
export function endSession(): void {
  const { value } = session
  if (value.state === 'open' && !value.isOver) session.value = { ...value, isOver: true }
}

/** Inside Telegram its word opens a new session unseen, as long as it is fresh enough. */
async function signInAgain(): Promise<boolean> {
  const initData = launchInitData()
  if (initData !== undefined) {
    const isIn = await signIn({ initData }).then(
      () => true,
      () => false,
    )
    if (isIn) return true
  }
  endSession()
  return false
}

async function signIn(body: SignInBody): Promise<void> {
  const response = await send('/session', { method: 'POST', body, token: undefined })
  const signedIn: SignInAnswer = await response.json()
  keep(signedIn.token)
  toOpen(signedIn.me)
  tabs.postMessage(signedIn.token)
}

async function resume(other: string): Promise<void> {
  await open(other).catch(() => undefined)
}

async function open(withToken: string): Promise<void> {
  const response = await send('/session', { token: withToken })
  keep(withToken)
  toOpen(await response.json())
}

function toOpen(me: WireVisitor): void {
  setKnownLanguage(me.language)
  session.value = { state: 'open', me, isOver: false }
  openings.value += 1
}

function toNone(error: unknown): PageSession {
  const refusal = error instanceof RequestError ? error.signIn : undefined
  if (refusal !== undefined) return { state: 'none', error: refusal }
  const problem = toProblem(error)
  return problem.type === 'session' ? { state: 'none' } : { state: 'none', problem }
}

function keep(newToken: string): void {
  token = newToken
  sessionStorage.setItem(KEY, newToken)
}

function forget(): void {
  token = undefined
  sessionStorage.removeItem(KEY)
}
