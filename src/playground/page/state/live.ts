import { signal } from '@preact/signals'
import type { LiveEvents } from '../../web/api.ts'
import { type EventStream, followEvents } from './follow-events.ts'
import { ask } from './request.ts'
import { replaceRoute, route } from './route.ts'

export const connection = signal<'opening' | 'open' | 'lost'>('opening')

/** Three pings were missed: the connection is dead, even if the browser thinks otherwise. */
const SILENCE_MS = 45_000

const events = new EventTarget()

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

let reading = new AbortController()
let openFor = ''
let heardAt = 0

/** Calls a listener with every event of a name. After a break the first event is `state`. */
export function listen<Name extends keyof LiveEvents>(
  name: Name,
  listener: (data: LiveEvents[Name]) => void,
): void {
  events.addEventListener(name, (event) => {
    listener((event as CustomEvent<LiveEvents[Name]>).detail)
  })
}

export function followLive(): void {
  route.subscribe(() => {
    if (addressOf(route.value.as) !== openFor) open()
  })
  document.addEventListener('visibilitychange', () => {
    // Timers do not run while a machine sleeps: the stream may be dead.
    if (!document.hidden && Date.now() - heardAt > SILENCE_MS) open()
  })
  addEventListener('online', open)
}

function open(): void {
  reading.abort()
  reading = new AbortController()
  openFor = addressOf(route.value.as)
  if (connection.value === 'open') connection.value = 'opening'
  void followEvents(STREAM, reading.signal)
}

function take(name: string, text: string): boolean {
  heardAt = Date.now()
  const detail: unknown = JSON.parse(text)
  if (name === 'state') {
    connection.value = 'open'
    // The playground replaces an unknown person in the address.
    const { as } = detail as LiveEvents['state']
    openFor = addressOf(as)
    if (route.value.as !== as) replaceRoute({ as })
  }
  events.dispatchEvent(new CustomEvent(name, { detail }))
  return false
}

function addressOf(as: number | undefined): string {
  const query = new URLSearchParams()
  if (as !== undefined) query.set('as', String(as))
  if (route.value.hasPanel) query.set('panel', '1')
  return `/live?${query}`
}
