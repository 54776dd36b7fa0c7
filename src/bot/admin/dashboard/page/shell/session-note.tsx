import { isInTelegram } from '../telegram/launch.ts'
import { words } from '../words/language.ts'

/** Over what stays on the page when its session has ended: how to go on. */
export function SessionNote() {
  const { signIn } = words.value
  return (
    <div class="note note-problem" role="alert">
      <p>
        <strong>{signIn.ended}</strong>
      </p>
      <p>{isInTelegram ? signIn.endedTelegram : signIn.endedHint}</p>
    </div>
  )
}
