import { signal } from '@preact/signals'
import { type EventStream, followEvents } from '../../../../../platform/page/server.ts'
import type { EndEvent, LiveEvent } from '../../api.ts'
import { endSession, readMe, sendSigned } from './session.ts'

/** The figures of this moment; undefined while none arrive. */
export const live = signal<LiveEvent | undefined>(undefined)

const STREAM: EventStream = {
  open: (signal) => sendSigned('/live', { signal }),
  onEvent: take,
  // The figures are gone from the page meanwhile; what else is wrong, the rest of it shows.
  onBreak: () => {
    live.value = undefined
  },
  firstWaitMs: 1_000,
  longestWaitMs: 30_000,
}

/**
 * Reads live figures for as long as the page is looked at: a hidden page reads none.
 *
 * @returns Ends it.
 */
export function followLive(): () => void {
  let controller: AbortController | undefined
  const follow = () => {
    controller?.abort()
    controller = document.hidden ? undefined : new AbortController()
    if (controller !== undefined) void followEvents(STREAM, controller.signal)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    controller?.abort()
    live.value = undefined
  }
}

/** @returns True if the server announced that no more will come. */
function take(name: string, data: string): boolean {
  if (name === 'live') live.value = JSON.parse(data) as LiveEvent
  return name === 'end' && end(JSON.parse(data) as EndEvent)
}

/** A new role goes on with figures of its own; an ended session has no more. */
function end({ reason }: EndEvent): boolean {
  if (reason === 'role_changed') void readMe()
  else endSession()
  live.value = undefined
  return reason === 'session_ended'
}
