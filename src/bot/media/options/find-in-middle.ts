import type { MediaKind } from '../../../contract/media.ts'
import { optionNames } from './catalog.ts'
import { judgeInMiddle } from './judge-wording.ts'
import { findAtStart, type Wording } from './wordings.ts'

/** No more of a description is looked through: a longer one is refused. */
const CHARS_MAX = 6_000
const WORDINGS_MAX = 12
/** No more of a text around a wording is looked at. */
const CONTEXT_CHARS_MAX = 200
/** The words with which an option can begin: everything else is passed over quickly. */
const FIRST_WORDS =
  /(?<=^|[\s,;|([])(?=[~≈+−-]?\d|(?:full|fhd|u?hd|ultra|vertical|horizontal|portrait|landscape|widescreen|вертикальн|горизонтальн|портретн|широкоформатн|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|одн[ау]|две|три|четыре|пять|шесть|семь|восемь|девять|десять|пятнадцать|двадцать|тридцать))/giu

/**
 * Finds wordings in the middle of a description that may be options of the kind: their user is asked, and they stay in
 * the description in any case, since it was written around them.
 *
 * @param known The wordings at the edges: what they say is not asked about.
 */
export function findInMiddle(
  kind: MediaKind,
  description: string,
  known: readonly Wording[],
): Wording[] {
  const text = description.slice(0, CHARS_MAX)
  const names = optionNames(kind).filter((name) => known.every(({ says }) => !(name in says)))
  const found: Wording[] = []
  let from = 0
  for (const { index } of text.matchAll(FIRST_WORDS)) {
    if (index < from || found.length === WORDINGS_MAX) continue
    const wording = findAtStart(text.slice(index))
    if (wording === undefined || !names.some((name) => name in wording.says)) continue
    const end = index + wording.length
    const before = text.slice(Math.max(0, index - CONTEXT_CHARS_MAX), index)
    const after = text.slice(end, end + CONTEXT_CHARS_MAX)
    if (judgeInMiddle(wording, before, after) === 'ask_keep') found.push(wording)
    from = end
  }
  return found
}
