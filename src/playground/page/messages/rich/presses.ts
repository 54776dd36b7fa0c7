import { signal } from '@preact/signals'
import { attempt } from '../../dialogs/attempt.ts'
import { listen } from '../../live.ts'
import { act } from '../../request.ts'

/** A button turns until its bot has answered, or for as long as clients wait for one that does not. */
const WAITING_MS = 30_000

/** Buttons whose bot has not answered yet: by chat, message and data. */
const waiting = signal<ReadonlySet<string>>(new Set())

/** Answers may come before the request that asked for them is done. */
const keysByQuery = new Map<string, string>()
const answered = new Set<string>()

interface Press {
  chatId: number
  messageId: number
  data: string
}

/** Checks whether a button that was pressed waits for its bot. */
export function isWaiting(press: Press): boolean {
  return waiting.value.has(keyOf(press))
}

/** Presses a button that the bot hears of. A press while one waits is none. */
export async function press(button: Press): Promise<void> {
  const { chatId, messageId, data } = button
  const key = keyOf(button)
  if (waiting.value.has(key)) return
  waiting.value = new Set(waiting.value).add(key)
  const isSent = await attempt(async () => {
    const body = { message_id: messageId, data }
    const { callback_query_id: id } = await act('/chats/:id/presses', body, chatId)
    if (answered.delete(id)) end(key)
    else keysByQuery.set(id, key)
    setTimeout(() => {
      keysByQuery.delete(id)
      end(key)
    }, WAITING_MS)
  })
  if (!isSent) end(key)
}

/** Hears answers from now on. */
export function followAnswers(): () => void {
  return listen('answer', ({ callback_query_id: id }) => {
    const key = keysByQuery.get(id)
    if (key !== undefined) end(key)
    // The answer to a press in another tab has no press here.
    else if (waiting.peek().size > 0) answered.add(id)
    keysByQuery.delete(id)
  })
}

function end(key: string): void {
  const others = new Set(waiting.value)
  if (others.delete(key)) waiting.value = others
  if (others.size === 0) answered.clear()
}

function keyOf({ chatId, messageId, data }: Press): string {
  return `${chatId} ${messageId} ${data}`
}
