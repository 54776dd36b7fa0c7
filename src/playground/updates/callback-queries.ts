import type { Clock } from '../../time/clock.ts'
import { badRequest } from '../wire/envelope.ts'

const ANSWER_WITHIN_MS = 15_000
const QUERIES_MAX = 10_000
const IDS_FROM = 4_000_000_000_000_000

/** One press of a button, and what the bot said to it. */
export interface PressedButton {
  at: number
  answer?: { text: string; showAlert: boolean; url: string }
}

/** Presses that wait for an answer, and those that had one. */
export function createCallbackQueries({ clock }: { clock: Clock }) {
  const presses = new Map<string, PressedButton>()
  let count = 0
  return { presses, press, answer }

  /** @returns The id of the query. */
  function press(): string {
    const id = String(IDS_FROM + ++count)
    presses.set(id, { at: clock.now() })
    presses.delete(String(IDS_FROM + count - QUERIES_MAX))
    return id
  }

  /** The first answer counts; a second one is accepted and changes nothing. */
  function answer(id: string, given: Required<PressedButton>['answer']): void {
    const pressed = presses.get(id)
    const isOpen = pressed !== undefined && clock.now() - pressed.at <= ANSWER_WITHIN_MS
    if (!isOpen) throw badRequest('QUERY_ID_INVALID')
    pressed.answer ??= given
  }
}

export type CallbackQueries = ReturnType<typeof createCallbackQueries>
