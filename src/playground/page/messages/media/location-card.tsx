import type { Location } from 'grammy/types'
import { words } from '../../words/language.ts'

interface LocationProps {
  location: Location
  title?: string
  address?: string
}

/** A location in words: a map would be a request to somebody else's server. */
export function LocationCard({ location, title, address }: LocationProps) {
  const { latitude, longitude } = location
  return (
    <div class="card">
      <p class="card-title">{title ?? words.value.message.location}</p>
      {address === undefined ? null : <p>{address}</p>}
      <p class="hint small num">
        {latitude.toFixed(5)}, {longitude.toFixed(5)}
      </p>
    </div>
  )
}
