import type { PlaygroundChange } from '../../updates/changes.ts'
import type { WireFault, WireFlow } from '../api.ts'
import { toWireCall, toWireLint } from '../to-wire/call.ts'
import type { WebDeps } from '../web-deps.ts'
import type { Send } from './writer.ts'

const LISTED_MAX = 1_000

/** The sources of the panel's lists besides the calls. */
export interface PanelSources {
  token: string
  switchedFaults: { list(): WireFault[] }
  /** The service's requests and movements so far, oldest first. */
  flows: () => readonly WireFlow[]
}

/** Sends one panel its lists: whole at first, then what is new or has changed. */
export function createPanelFeed(
  send: Send,
  { callLog, lints, clock }: Pick<WebDeps, 'callLog' | 'lints' | 'clock'>,
  { token, switchedFaults, flows }: PanelSources,
) {
  const changed = new Set<number>()
  /** Changed entries by their `seq`: each is sent once. */
  const flowed = new Map<number, WireFlow>()
  let lintSeq = lints.lints.at(-1)?.seq ?? 0
  let faults = ''
  send('calls', callLog.calls.slice(-LISTED_MAX).map(toWire))
  send(
    'lints',
    lints.lints.slice(-LISTED_MAX).map((lint) => toWireLint(lint, clock)),
  )
  send('flow', flows().slice(-LISTED_MAX))
  sendFaults()
  return { take, takeFlow, look }

  function take(change: PlaygroundChange): void {
    if (change.kind === 'call') changed.add(change.seq)
  }

  function takeFlow(flow: WireFlow): void {
    flowed.set(flow.seq, flow)
  }

  function look(): void {
    const calls = [...changed].slice(-LISTED_MAX).flatMap((seq) => {
      const call = callLog.find(seq)
      return call ? [toWire(call)] : []
    })
    changed.clear()
    if (calls.length > 0) send('calls', calls)
    const fresh = lints.lints.filter(({ seq }) => seq > lintSeq)
    lintSeq = fresh.at(-1)?.seq ?? lintSeq
    if (fresh.length > 0)
      send(
        'lints',
        fresh.map((lint) => toWireLint(lint, clock)),
      )
    if (flowed.size > 0) send('flow', [...flowed.values()].slice(-LISTED_MAX))
    flowed.clear()
    sendFaults()
  }

  function sendFaults(): void {
    const list = switchedFaults.list()
    const text = JSON.stringify(list)
    if (text === faults) return
    faults = text
    send('faults', list)
  }

  function toWire(call: Parameters<typeof toWireCall>[0]) {
    return toWireCall(call, { token, clock })
  }
}
