import { PageRefusal } from '../../platform/http/page-refusal.ts'
import type { Fault, SetFault } from '../checks/faults.ts'
import type { WireFault } from './api.ts'
import type { WebDeps } from './web-deps.ts'

const FAULTS_MAX = 50

/** A fault before it is switched on. */
export type WantedFault = Omit<WireFault, 'id' | 'hits'>

/**
 * The faults that people switched on. One that has hit as often as it was to is listed until it is switched off.
 *
 * Blocking the bot and deleting a topic are no faults of calls: they happen in the world, and the calls fail by
 * themselves.
 */
export function createSwitchedFaults({
  faults,
  control,
  world,
  changes,
  callLog,
}: Pick<WebDeps, 'faults' | 'control' | 'world' | 'changes' | 'callLog'>) {
  const switched = new Map<number, { wanted: WantedFault; set: SetFault }>()
  let count = 0
  return { switchOn, switchOff, list }

  function switchOn(wanted: WantedFault): WireFault {
    if (switched.size >= FAULTS_MAX) throw new PageRefusal(409, `${FAULTS_MAX} faults are on`)
    const id = ++count
    switched.set(id, { wanted, set: begin(wanted) })
    return toWire(id, wanted, switched.get(id)?.set)
  }

  /** A deleted topic does not come back. One that is off already stays so. */
  function switchOff(id: number): void {
    switched.get(id)?.set.end()
    switched.delete(id)
  }

  function list(): WireFault[] {
    return Array.from(switched, ([id, { wanted, set }]) => toWire(id, wanted, set))
  }

  function begin(wanted: WantedFault): SetFault {
    const { kind, chat_id: chatId = 0, thread_id: threadId = 0 } = wanted
    if (kind === 'blocked') {
      if (!world.people.has(chatId)) throw new PageRefusal(404, `There is no user ${chatId}`)
      control.blocks(chatId)
      return countRefusals(chatId, /bot was blocked/, () => control.unblocks(chatId))
    }
    if (kind === 'topic_deleted') {
      if (!world.chats.get(chatId)?.topics.has(threadId)) {
        throw new PageRefusal(404, `There is no topic ${threadId}`)
      }
      control.deletesTopic(chatId, threadId)
      return countRefusals(chatId, /message thread not found/, () => {})
    }
    const { method, times } = wanted
    // The poll for updates is asked again and again, and would take every hit that was meant for an answer.
    const where = method === '' ? { exceptMethod: 'getUpdates' } : { method }
    return faults.set({ ...toFault(wanted), ...where, times: times ?? Number.POSITIVE_INFINITY })
  }

  /** How often the bot ran into it. */
  function countRefusals(chatId: number, reason: RegExp, onEnd: () => void): SetFault {
    let hits = 0
    const unsubscribe = changes.subscribe((change) => {
      const call = change.kind === 'call' ? callLog.find(change.seq) : undefined
      const isRefused = call?.chatId === chatId && call.body?.ok === false
      if (isRefused && reason.test(call.body?.ok === false ? call.body.description : '')) hits++
    })
    const end = () => {
      unsubscribe()
      onEnd()
    }
    return {
      get hits() {
        return hits
      },
      release: () => {},
      end,
    }
  }
}

export type SwitchedFaults = ReturnType<typeof createSwitchedFaults>

function toFault({ kind, retry_after: retryAfter = 1, delay_ms: delayMs = 0 }: WantedFault): Fault {
  switch (kind) {
    case '429':
      return { kind, retryAfter }
    case 'slow':
      return { kind, delayMs }
    case 'reset':
      return { kind: 'dropBefore' }
    default:
      return { kind: '500' }
  }
}

function toWire(id: number, wanted: WantedFault, set: SetFault | undefined): WireFault {
  return { ...wanted, id, hits: set?.hits ?? 0 }
}
