import { signal } from '@preact/signals'
import { type EventStream, followEvents } from '../../../platform/page/event-stream.ts'
import type { LiveEvents } from '../../web/api.ts'
import { ask } from './request.ts'
import { replaceRoute, route } from './route.ts'

/** State of the page's one stream of events. */
export const connection = signal<'opening' | 'open' | 'lost'>('opening')

/** Three pings were missed: the connection is dead, even if the browser thinks otherwise. */
const SILENCE_MS = 45_000
/** A browser has six connections to a host: hidden tabs close theirs after this time. */
const HIDDEN_MS = 300_000

type Names = keyof LiveEvents
type Listeners = { [Name in Names]?: Set<(data: LiveEvents[Name]) => void> }

const listeners: Listeners = {}

const STREAM: EventStream = {
  open: (signal) => ask(openFor, { signal }),
  onEvent: take,
  onBreak: () => {
    connection.value = 'lost'
  },
  firstWaitMs: 300,
  longestWaitMs: 5_000,
  silenceMs: SILENCE_MS,
}

/** Aborted when the stream is closed; undefined while none is open. */
let reading: AbortController | undefined
let openFor = ''
let heardAt = 0
let hiding: ReturnType<typeof setTimeout> | undefined

/**
 * Calls a listener with every event of a name. After a break the first event is `state`, which is complete.
 *
 * @returns Removes the listener.
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

/** Keeps the stream of the person in the address open while the page is visible. */
export function followLive(): void {
  route.subscribe(() => {
    if (addressNow() !== openFor) open()
  })
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(close, HIDDEN_MS)
    // Timers do not run while a machine sleeps: the stream may be dead.
    else if (!isReading() || Date.now() - heardAt > SILENCE_MS) open()
  })
  addEventListener('online', open)
}

function isReading(): boolean {
  return reading !== undefined && connection.value !== 'lost'
}

function open(): void {
  close()
  openFor = addressNow()
  connection.value = connection.value === 'lost' ? 'lost' : 'opening'
  reading = new AbortController()
  void followEvents(STREAM, reading.signal)
}

function close(): void {
  reading?.abort()
  reading = undefined
}

function take(name: string, data: string): boolean {
  heardAt = Date.now()
  hear(name as Names, JSON.parse(data))
  return false
}

function hear<Name extends Names>(name: Name, data: LiveEvents[Name]): void {
  if (name === 'state') {
    connection.value = 'open'
    settleWho(data as LiveEvents['state'])
  }
  const ofName: Set<(data: LiveEvents[Name]) => void> | undefined = listeners[name]
  for (const listener of ofName ?? []) listener(data)
}

/** Replaces an unknown person in the address by the person that the playground chose. */
function settleWho({ as }: LiveEvents['state']): void {
  if (route.value.as === as) return
  openFor = addressOf(as)
  replaceRoute({ as })
}

function addressNow(): string {
  return addressOf(route.value.as)
}

function addressOf(as: number | undefined): string {
  const query = new URLSearchParams()
  if (as !== undefined) query.set('as', String(as))
  if (route.value.hasPanel) query.set('panel', '1')
  return `/live?${query}`
}
