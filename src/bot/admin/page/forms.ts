import type { Language } from '../../locales/texts.ts'
import { parseMoney } from '../../spend/format.ts'
import { LIMIT_MICRO_RUB_MAX } from '../../spend/limits.ts'
import { type Html, html, type Part } from './html.ts'
import type { Problems, Visit } from './visit.ts'

const TYPED_CHARS_MAX = 60

/** A form that the view's `save()` receives. Its problems stand beside its fields. */
export function form(visit: Visit, name: string, content: Part): Html {
  const general = visit.problemsOf(name)?.['']
  return html`<form method="post" id="${name}" novalidate>
    <input type="hidden" name="form" value="${name}">
    ${general && html`<p class="note problem" role="alert">${general}</p>`}
    ${content}
  </form>`
}

/** A labelled line to type into. After a refusal it has what was typed, and the reason beside it. */
export function field(
  visit: Visit,
  form: string,
  { name, label, hint, value, mode = 'text' }: FieldParts,
): Html {
  const id = `${form}-${name}`
  const problems = visit.problemsOf(form)
  const problem = problems?.[name]
  const isKept = problems !== undefined && !visit.isSaved(form)
  const typed = isKept ? (visit.sent?.fields.get(name) ?? '') : value
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input type="text" name="${name}" id="${id}" value="${typed}" inputmode="${mode}"
      autocomplete="off" maxlength="${TYPED_CHARS_MAX}" ${!visit.canChange && html`disabled`}
      ${problem && html`aria-invalid="true"`}
      aria-describedby="${problem && `${id}-problem `}${hint && `${id}-hint`}">
    ${problem && html`<p class="bad" id="${id}-problem" role="alert">${problem}</p>`}
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`
}

interface FieldParts {
  name: string
  label: string
  hint?: string
  value: string
  mode?: 'text' | 'decimal' | 'numeric'
}

/** A labelled list to choose from. */
export function select(
  visit: Visit,
  form: string,
  { name, label, value, options }: SelectParts,
): Html {
  const id = `${form}-${name}`
  const problem = visit.problemsOf(form)?.[name]
  const isKept = visit.problemsOf(form) !== undefined && !visit.isSaved(form)
  const chosen = isKept ? visit.sent?.fields.get(name) : value
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <select name="${name}" id="${id}" ${!visit.canChange && html`disabled`}
      ${problem && html`aria-invalid="true" aria-describedby="${id}-problem"`}>${options.map(
        ([option, text]) =>
          html`<option value="${option}" ${option === chosen && html`selected`}>${text}</option>`,
      )}</select>
    ${problem && html`<p class="bad" id="${id}-problem" role="alert">${problem}</p>`}
  </div>`
}

interface SelectParts {
  name: string
  label: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
}

/** The value that a form's reader saw when they opened it: {@link wasChanged} compares it. */
export function seen(name: string, value: string): Html {
  return html`<input type="hidden" name="seen-${name}" value="${value}">`
}

/** Checks whether a value changed since its form was shown, to something else than the form wants. */
export function wasChanged(
  fields: URLSearchParams,
  name: string,
  { now, wanted }: { now: string; wanted: string },
): boolean {
  return fields.get(`seen-${name}`) !== now && now !== wanted
}

/** The button of a form, and whether it was saved. */
export function saveRow(visit: Visit, form: string, besides?: Part): Html {
  return html`<p class="row"><button type="submit">${visit.t('page-save')}</button>${besides}${savedMark(visit, form)}</p>`
}

export function savedMark(visit: Visit, form: string): Html | false {
  return (
    visit.isSaved(form) && html`<span class="good" role="status">${visit.t('page-saved')}</span>`
  )
}

/** Writes an amount as it stands in a field: `2,5`, without a currency or groups. */
export function toField(microRub: bigint | null | undefined, language: Language): string {
  if (microRub === null || microRub === undefined) return ''
  const style = { useGrouping: false, maximumFractionDigits: 6 }
  return new Intl.NumberFormat(language, style).format(Number(microRub) / 1e6)
}

/**
 * Reads an amount as people type it: `5`, `2,50`, `1 000 ₽`, `₽200`.
 *
 * @returns Null for an empty field; the key of a sentence if it is no amount.
 */
export function readAmount(typed: string, language: Language): bigint | null | string {
  const text = typed.replaceAll(/[\s\u00a0\u202f₽]/g, '').replace(/^[−–]/, '-')
  if (text === '') return null
  // 1,000 is a thousand to an English reader, and one to a Russian: better asked than guessed.
  if (language === 'en' && /^\d{1,3}(,\d{3})+$/.test(text)) return 'page-amount-malformed'
  if (!/^-?\d{1,40}([.,]\d{0,6})?$/.test(text)) return 'page-amount-malformed'
  if (text.startsWith('-') && /[1-9]/.test(text)) return 'page-amount-negative'
  const [whole = '', fraction = ''] = text.replace('-', '').split(/[.,]/)
  const microRub = parseMoney(`${whole.replace(/^0+(?=\d)/, '')}.${fraction || '0'}`)
  if (microRub !== undefined && microRub <= LIMIT_MICRO_RUB_MAX) return microRub
  return 'page-amount-huge'
}

/** @returns Null for an empty field; undefined if it is no whole number within the bounds. */
export function readWhole(
  typed: string,
  { min, max }: { min: number; max: number },
): number | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** The answer to a form that nobody can have typed: a value that its page does not offer. */
export function invalid(visit: Visit): Problems {
  return { '': visit.t('page-invalid') }
}
