import { Avatar } from '../parts/avatar.tsx'
import { nameOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'

/** Shows the bot's description of itself in a chat without messages. */
export function Greeting() {
  const described = bot.value
  if (described === undefined) return <div class="greeting" />
  const { shell } = words.value
  const lines = described.description.split('\n')
  return (
    <div class="greeting">
      <div class="greeting-card">
        <Avatar id={described.me.id} name={nameOf(described.me)} />
        <h2>{shell.whatItDoes}</h2>
        {described.description === '' ? (
          <p class="hint">{shell.noDescription}</p>
        ) : (
          // Lines of a text have no names of their own, and never change their order.
          lines.map((line, index) => <p key={`${index}:${line}`}>{line}</p>)
        )}
      </div>
    </div>
  )
}
