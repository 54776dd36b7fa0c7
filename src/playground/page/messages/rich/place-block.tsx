import type { RichBlockMap } from 'grammy/types'
import { PlaceCard } from '../media/place-card.tsx'
import { Captioned } from './captioned.tsx'

/** A map in words: its picture would be a request to somebody else's server. */
export function PlaceBlock({ block }: { block: RichBlockMap }) {
  return (
    <Captioned caption={block.caption}>
      <PlaceCard location={block.location} />
    </Captioned>
  )
}
