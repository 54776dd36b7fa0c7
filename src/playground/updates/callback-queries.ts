import type { Clock } from '../../time/clock.ts'
import { badRequest } from '../wire/envelope.ts'

const ANSWER_WITHIN_MS = 15_000
const QUERIES_MAX = 10_000
const IDS_FROM = 4_000_000_000_000_000

/** One press of a button, and what the bot said to it. */
export interface PressedButton {
  id: string
  userId: number
  chatId: number
  messageId: number
  data: string
  at: number
  answer?: { text: string; showAlert: boolean; url: string; at: number }
}

/** Presses that wait for an answer, and those that had one. */
export function createCallbackQueries({ clock }: { clock: Clock }) {
  const presses = new Map<string, PressedButton>()
  let count = 0
  return { presses, press, answer }

  function press(facts: Pick<PressedButton, 'userId' | 'chatId' | 'messageId' | 'data'>) {
    const pressed: PressedButton = {
      ...facts,
      id: String(IDS_FROM + ++count),
      at: clock.now(),
    }
    presses.set(pressed.id, pressed)
    if (presses.size > QUERIES_MAX) presses.delete(String(IDS_FROM + count - QUERIES_MAX))
    return pressed
  }

  /** The first answer counts; a second one is accepted and changes nothing. */
  function answer(id: string, given: { text: string; showAlert: boolean; url: string }): void {
    const pressed = presses.get(id)
    const isOpen = pressed !== undefined && clock.now() - pressed.at <= ANSWER_WITHIN_MS
    if (!isOpen) throw badRequest('QUERY_ID_INVALID')
    pressed.answer ??= { ...given, at: clock.now() }
  }
}

export type CallbackQueries = ReturnType<typeof createCallbackQueries>
