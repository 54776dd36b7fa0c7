import type { MediaKind } from '../../contract/tasks.ts'
import { formatMoney } from '../spend/format.ts'
import { joinList } from '../texts/join-list.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import { type MediaOptions, type OptionName, optionNames, readLabel } from './catalog.ts'

export interface Reader {
  languageCode?: string | undefined
  texts: Pick<Texts, 't'>
}

const SHAPE_NAMES = { '1:1': 'square', '16:9': 'landscape', '9:16': 'portrait' } as const

/** One chosen option in words: "5 s", "720p", "vertical". */
export function optionText(
  name: OptionName,
  { duration = 0, quality = '720p', shape = '1:1' }: MediaOptions,
  { languageCode, texts }: Reader,
): string {
  switch (name) {
    case 'duration':
      return texts.t(languageCode, 'option-duration', { seconds: duration })
    case 'quality':
      return quality
    case 'shape':
      return texts.t(languageCode, 'option-shape', { shape: SHAPE_NAMES[shape] })
  }
}

export function priceText(microRub: bigint | null, { languageCode, texts }: Reader): string {
  return microRub === null
    ? texts.t(languageCode, 'price-unknown')
    : formatMoney(microRub, languageCode)
}

/** "video 1080p, 5 s" for a price label. A chat model keeps its name. */
export function itemText(item: string, reader: Reader): string {
  const labelled = readLabel(item)
  if (labelled === undefined) return item
  const { kind, options } = labelled
  const chosen = (['quality', 'duration'] as const)
    .filter((name) => options[name] !== undefined)
    .map((name) => optionText(name, options, reader))
  return reader.texts.t(reader.languageCode, 'item-made', { kind, options: chosen.join(', ') })
}

/** All of a choice in words: "5 s, 720p, vertical". A video from a picture has the picture's shape. */
export function summaryText(
  { kind, options, hasPicture }: { kind: MediaKind; options: MediaOptions; hasPicture: boolean },
  reader: Reader,
): string {
  const names = optionNames(kind, { hasPicture })
  const chosen = names.map((name) => optionText(name, options, reader))
  const source = hasPicture ? [reader.texts.t(reader.languageCode, 'option-from-picture')] : []
  return [...chosen, ...source].join(', ')
}

/**
 * Returns the variables of texts that name what the service sells: `kinds` ("videos and images"), `commands` ("/video or
 * /image"), `everything` with answers, and two to choose words by: `offered` (`some` or `none`) and `hasVideo`.
 *
 * @param kinds Undefined if they are not known: none is promised.
 */
export function offerVariables(
  kinds: readonly MediaKind[] | undefined = [],
  { languageCode, texts }: Reader,
): TextVariables {
  const names = kinds.map((kind) => texts.t(languageCode, 'media-kind', { kind }))
  const commands = kinds.map((kind) => `/${kind}`)
  return {
    offered: kinds.length === 0 ? 'none' : 'some',
    hasVideo: String(kinds.includes('video')),
    kinds: joinList(languageCode, names),
    commands: joinList(languageCode, commands, 'disjunction'),
    everything: joinList(languageCode, [texts.t(languageCode, 'chat-kind'), ...names]),
  }
}
