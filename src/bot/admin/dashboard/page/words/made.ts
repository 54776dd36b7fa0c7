import type { WireMade } from '../../api.ts'
import { words } from './language.ts'

/** Names what was paid for: a model by its name, a clip as people say it: `Clip 1080p, 5 s`. */
export function nameItem(item: string, made: WireMade | null): string {
  const { oneOfKind, spend } = words.value
  if (made === null) return item
  const name = oneOfKind[made.kind]
  return made.kind === 'video' ? `${name} ${made.quality}, ${spend.seconds(made.seconds)}` : name
}
