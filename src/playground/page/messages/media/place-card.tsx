import type { Location } from 'grammy/types'
import { words } from '../../words/language.ts'

interface PlaceProps {
  location: Location
  title?: string
  address?: string
}

/** A place in words: a map would be a request to somebody else's server. */
export function PlaceCard({ location, title, address }: PlaceProps) {
  const { latitude, longitude } = location
  return (
    <div class="card">
      <p class="card-title">{title ?? words.value.message.place}</p>
      {address === undefined ? null : <p>{address}</p>}
      <p class="hint small num">
        {latitude.toFixed(5)}, {longitude.toFixed(5)}
      </p>
    </div>
  )
}
