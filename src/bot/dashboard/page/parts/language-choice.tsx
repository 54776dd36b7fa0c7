import { chooseLanguage, LANGUAGES, type Language, language, words } from '../words/language.ts'
import { Segments } from './choice.tsx'

/** Each language by its own name. */
export function LanguageChoice() {
  const options = Object.entries(LANGUAGES).map(([value, { name }]) => {
    return { value: value as Language, label: name }
  })
  return (
    <Segments
      label={words.value.language}
      options={options}
      value={language.value}
      onChange={chooseLanguage}
    />
  )
}
