import type { Message } from 'grammy/types'
import { describeService } from '../../state/describe-service.ts'

/** A line that shows what has happened in the chat. */
export function ServiceRow({ message }: { message: Message }) {
  return (
    <li class="note-row">
      <span class="plate">{describeService(message)}</span>
    </li>
  )
}
