/** Number of colours of avatars and of authors' names; styles/base.css has them. */
const COLOURS = 7

/** Chooses a colour for a person or a chat. */
export function colourOf(id: number): number {
  // By the remainder of 7 alone the bot, the group and a person of a new playground would look the same.
  return (Math.abs(id) % 34) % COLOURS
}

/** Shows the first letters of a name on a colour. */
export function Avatar({ id, name, size }: { id: number; name: string; size?: 'small' }) {
  return (
    <span class={`avatar ${size ?? ''}`} data-colour={colourOf(id)} aria-hidden="true">
      {lettersOf(name)}
    </span>
  )
}

function lettersOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
}
