const HUES = [27, 55, 300, 145, 220, 255, 350]

/** Chooses a colour for a person or a chat; for the attribute `style` of an element with the class `tinted`. */
export function tintOf(id: number): Record<string, number> {
  // By the remainder of 7 alone the bot, the group and a person of a new playground would look the same.
  return { '--hue': HUES[(Math.abs(id) % 34) % HUES.length] ?? 0 }
}

export function Avatar({ id, name, look = '' }: { id: number; name: string; look?: string }) {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const letters = words.slice(0, 2).map((word) => [...word][0]?.toUpperCase() ?? '')
  return (
    <span class={`avatar tinted ${look}`} style={tintOf(id)} aria-hidden="true">
      {letters.join('')}
    </span>
  )
}
