import { Avatar } from '../parts/avatar.tsx'
import { nameOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'

/** In a chat where nothing was said yet: what the bot says of itself. */
export function Greeting() {
  const told = bot.value
  if (told === undefined) return <div class="greeting" />
  const { shell } = words.value
  const lines = told.description.split('\n')
  return (
    <div class="greeting">
      <div class="greeting-card">
        <Avatar id={told.me.id} name={nameOf(told.me)} />
        <h2>{shell.whatItDoes}</h2>
        {told.description === '' ? (
          <p class="hint">{shell.noDescription}</p>
        ) : (
          // Lines of a text have no names of their own, and never change places.
          lines.map((line, index) => <p key={`${index}:${line}`}>{line}</p>)
        )}
      </div>
    </div>
  )
}
