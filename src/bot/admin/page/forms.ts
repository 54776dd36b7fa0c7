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

/** A labelled line to type into. After a refusal it keeps the typed value, with the reason beside it. */
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
export function saveRow(visit: Visit, form: string): Html {
  return html`<p class="row">${saveButton(visit)}${savedMark(visit, form)}</p>`
}

export function saveButton(visit: Visit): Html {
  return html`<button type="submit">${visit.t('page-save')}</button>`
}

export function savedMark(visit: Visit, form: string): Html | false {
  return (
    visit.isSaved(form) && html`<span class="good" role="status">${visit.t('page-saved')}</span>`
  )
}

/** Refuses a value that the form does not offer. */
export function invalid(visit: Visit): Problems {
  return { '': visit.t('page-invalid') }
}
