import type { Reader } from '../options/option-texts.ts'
import type { WordsRead } from '../options/read-words.ts'

const TEXTS = {
  no_value: 'card-question-no-value',
  no_pair: 'card-question-no-pair',
  contradiction: 'card-question-contradiction',
  unclear: 'card-question-unclear',
} as const

/** Why what was written cannot be ordered as it is, a line for each reason; undefined for none. */
export function questionText(
  { questions }: WordsRead,
  { languageCode, texts }: Reader,
): string | undefined {
  const byReason = Object.entries(Object.groupBy(questions, ({ reason }) => reason))
  const lines = byReason.map(([reason, ofReason]) => {
    const written = ofReason.flatMap((question) => question.written)
    const key = TEXTS[reason as keyof typeof TEXTS]
    return texts.t(languageCode, key, { count: written.length, written: written.join(', ') })
  })
  return lines.length === 0 ? undefined : lines.join('\n')
}
