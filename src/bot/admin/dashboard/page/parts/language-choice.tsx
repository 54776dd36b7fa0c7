import { Segments } from '../../../../../platform/page/controls.tsx'
import type { Language } from '../../api.ts'
import { chooseLanguage, language, WORDS, words } from '../words/language.ts'

/** Each language by its own name. */
export function LanguageChoice() {
  const options = Object.entries(WORDS).map(([value, { name }]) => {
    return { value: value as Language, label: name }
  })
  return (
    <Segments
      isUnlabelled
      label={words.value.language}
      options={options}
      value={language.value}
      onChange={chooseLanguage}
    />
  )
}
