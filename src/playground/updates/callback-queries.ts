import type { Clock } from '../../platform/time/clock.ts'
import type { State } from '../state.ts'
import { badRequest } from '../wire/envelope.ts'
import type { Changes } from './changes.ts'

const ANSWER_WITHIN_MS = 15_000
const QUERIES_MAX = 10_000
const IDS_FROM = 4_000_000_000_000_000

export interface ButtonPress {
  userId: number
  chatId: number
  messageId: number
}

export interface PressedButton extends ButtonPress {
  at: number
  answer?: { text: string; showAlert: boolean; url: string }
}

export function createCallbackQueries(deps: { state: State; clock: Clock; changes: Changes }) {
  const { state, clock, changes } = deps
  const presses = new Map<string, PressedButton>()
  return { presses, press, answer }

  function press(given: ButtonPress): string {
    const id = String(IDS_FROM + ++state.queryCount)
    presses.set(id, { ...given, at: clock.now() })
    presses.delete(String(IDS_FROM + state.queryCount - QUERIES_MAX))
    return id
  }

  /** The first answer counts; a second one is accepted and changes nothing. */
  function answer(id: string, given: Required<PressedButton>['answer']): void {
    const pressed = presses.get(id)
    const isOpen = pressed !== undefined && clock.now() - pressed.at <= ANSWER_WITHIN_MS
    if (!isOpen) throw badRequest('QUERY_ID_INVALID')
    if (pressed.answer !== undefined) return
    pressed.answer = given
    changes.emit({ kind: 'answered', callbackQueryId: id })
  }
}

export type CallbackQueries = ReturnType<typeof createCallbackQueries>
