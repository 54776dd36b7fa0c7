import type { MediaKind } from '../../../contract/tasks.ts'
import type { Reader } from '../option-texts.ts'
import { offerVariables } from '../option-texts.ts'

/** Why nothing was ordered: the key of the text that says it, and the kinds that can be. */
export interface MediaRefusal {
  key: string
  sold: readonly MediaKind[]
}

/** Says why nothing of a kind was ordered, and where the kind is not sold, what is. */
export function refusalText(kind: MediaKind, { key, sold }: MediaRefusal, reader: Reader): string {
  return reader.texts.t(reader.languageCode, key, { kind, ...offerVariables(sold, reader) })
}
