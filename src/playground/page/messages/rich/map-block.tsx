import type { RichBlockMap } from 'grammy/types'
import { LocationCard } from '../media/location-card.tsx'
import { Captioned } from './captioned.tsx'

/** A map in words: its picture would be a request to somebody else's server. */
export function MapBlock({ block }: { block: RichBlockMap }) {
  return (
    <Captioned caption={block.caption}>
      <LocationCard location={block.location} />
    </Captioned>
  )
}
