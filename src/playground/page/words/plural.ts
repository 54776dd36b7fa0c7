/** Forms of a noun by the plural categories of its language; `other` is for every category that is not named. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Counts things in a language: `countIn('ru')(3, { one: 'день', few: 'дня', other: 'дней' })` is "3 дня". */
export function countIn(language: string): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (count, forms) => `${numbers.format(count)} ${forms[rules.select(count)] ?? forms.other}`
}
