import { signal } from '@preact/signals'
import type { LiveEvents } from '../web/api.ts'
import { ROOT } from './request.ts'
import { replaceRoute, route } from './route.ts'

/** How the page's one stream of events stands. */
export const connection = signal<'opening' | 'open' | 'lost'>('opening')

/** Three pings were missed: the connection is dead, even if the browser thinks otherwise. */
const SILENCE_MS = 45_000
/** A browser has six connections to a host: hidden tabs give theirs back. */
const HIDDEN_MS = 300_000
const FIRST_WAIT_MS = 300
const LONGEST_WAIT_MS = 5_000

type Names = keyof LiveEvents
type Listeners = { [Name in Names]?: Set<(data: LiveEvents[Name]) => void> }

const NAMES = Object.keys({
  state: 0,
  message: 0,
  deleted: 0,
  draft: 0,
  draft_gone: 0,
  action: 0,
  action_gone: 0,
  chat: 0,
  bot: 0,
  people: 0,
  answer: 0,
  ping: 0,
  calls: 0,
  lints: 0,
  flow: 0,
  faults: 0,
} satisfies Record<Names, 0>) as Names[]

const listeners: Listeners = {}

let source: EventSource | undefined
let openFor = ''
let heardAt = 0
let waitMs = FIRST_WAIT_MS
let reopening: ReturnType<typeof setTimeout> | undefined
let silence: ReturnType<typeof setTimeout> | undefined
let hiding: ReturnType<typeof setTimeout> | undefined

/**
 * Hears every event of a name from now on. After a break the first is `state`, which is whole.
 *
 * @returns Ends it.
 */
export function listen<Name extends Names>(
  name: Name,
  listener: (data: LiveEvents[Name]) => void,
): () => void {
  const ofName: Set<(data: LiveEvents[Name]) => void> = listeners[name] ?? new Set()
  Object.assign(listeners, { [name]: ofName })
  ofName.add(listener)
  return () => ofName.delete(listener)
}

/** Keeps the stream of the person that the address names open, for as long as the page is looked at. */
export function followLive(): void {
  route.subscribe(() => {
    if (addressNow() !== openFor) open()
  })
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(close, HIDDEN_MS)
    // A machine that slept has timers that did not run: whether the stream lives is not known.
    else if (source === undefined || Date.now() - heardAt > SILENCE_MS) open()
  })
  addEventListener('online', open)
}

function open(): void {
  close()
  openFor = addressNow()
  connection.value = connection.value === 'lost' ? 'lost' : 'opening'
  const opened = new EventSource(openFor)
  source = opened
  for (const name of NAMES) {
    opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
      if (source === opened) take(name, data)
    })
  }
  // The browser would try again by itself, but gives up on a refusal.
  opened.onerror = () => {
    if (source === opened) reopenLater()
  }
  watchSilence()
}

function close(): void {
  source?.close()
  source = undefined
  clearTimeout(reopening)
  clearTimeout(silence)
}

function reopenLater(): void {
  close()
  connection.value = 'lost'
  reopening = setTimeout(open, waitMs)
  waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
}

function take<Name extends Names>(name: Name, data: string): void {
  heardAt = Date.now()
  watchSilence()
  if (name === 'state') {
    connection.value = 'open'
    waitMs = FIRST_WAIT_MS
  }
  const parsed = JSON.parse(data) as LiveEvents[Name]
  if (name === 'state') settleWho(parsed as LiveEvents['state'])
  const ofName: Set<(data: LiveEvents[Name]) => void> | undefined = listeners[name]
  for (const listener of ofName ?? []) listener(parsed)
}

/** An address of no one, or of somebody who is gone, becomes that of the person the playground took instead. */
function settleWho({ as }: LiveEvents['state']): void {
  if (route.value.as === as) return
  openFor = addressOf(as)
  replaceRoute({ as })
}

function watchSilence(): void {
  clearTimeout(silence)
  silence = setTimeout(reopenLater, SILENCE_MS)
}

function addressNow(): string {
  return addressOf(route.value.as)
}

function addressOf(as: number | undefined): string {
  const query = new URLSearchParams()
  if (as !== undefined) query.set('as', String(as))
  if (route.value.hasPanel) query.set('panel', '1')
  return `${ROOT}/live?${query}`
}
