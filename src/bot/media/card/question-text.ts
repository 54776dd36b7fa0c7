import type { WordsRead } from '../options/read-words.ts'
import type { Reader } from './option-texts.ts'

/** Why what was written cannot be ordered as it is: a line for each option in question; undefined for none. */
export function questionText(
  { questions }: WordsRead,
  { languageCode, texts }: Reader,
): string | undefined {
  const lines = questions.map(({ reason, written }) =>
    texts.t(languageCode, `card-question-${reason.replace('_', '-')}`, {
      written: written.join(', '),
    }),
  )
  return lines.length === 0 ? undefined : lines.join('\n')
}
