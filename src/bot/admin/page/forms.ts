import { ChangedMeanwhileError } from '../../change-log.ts'
import { type Html, html, type Part } from './html.ts'
import type { Problems, Visit } from './visit.ts'

const TYPED_CHARS_MAX = 60

/** A form that the view's `save()` receives, with problems beside its fields. */
export function form(visit: Visit, name: string, content: Part): Html {
  const general = visit.refused(name)?.problems['']
  return html`<form method="post" id="${name}" novalidate>
    ${hidden('form', name)}
    ${general && html`<p class="note problem" role="alert">${general}</p>`}
    ${content}
  </form>`
}

export function hidden(name: string, value: string | number | bigint): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

interface FieldParts {
  name: string
  label: string
  value: string
  hint?: string
  mode?: 'text' | 'decimal' | 'numeric'
  /** Makes the field a list to choose from. */
  options?: readonly (readonly [value: string, text: string])[] | undefined
}

/** A labelled field. After a refusal it keeps the typed value, with the reason beside it. */
export function field(
  visit: Visit,
  form: string,
  { name, label, value: stored, hint, mode = 'text', options }: FieldParts,
): Html {
  const id = `${form}-${name}`
  const refused = visit.refused(form)
  const problem = refused?.problems[name]
  const value = refused?.fields.get(name) ?? stored
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  const attributes = html`name="${name}" id="${id}" aria-describedby="${described}"
    ${!visit.canChange && html`disabled`} ${problem && html`aria-invalid="true"`}`
  const list = options?.map(
    ([one, text]) =>
      html`<option value="${one}" ${one === value && html`selected`}>${text}</option>`,
  )
  return html`<div class="field"><label for="${id}">${label}</label>
    ${
      list
        ? html`<select ${attributes}>${list}</select>`
        : html`<input type="text" ${attributes} value="${value}" inputmode="${mode}"
            autocomplete="off" maxlength="${TYPED_CHARS_MAX}">`
    }
    ${problem && html`<small class="bad" id="${id}-problem" role="alert">${problem}</small>`}
    ${hint && html`<small id="${id}-hint">${hint}</small>`}</div>`
}

/** The button of a form, and the parts beside it. */
export function saveRow(visit: Visit, more: Part): Html {
  return html`<p class="row"><button type="submit">${visit.t('page-save')}</button>${more}</p>`
}

export function savedMark(visit: Visit, form: string): Html | false {
  return (
    visit.isSaved(form) && html`<span class="good" role="status">${visit.t('page-saved')}</span>`
  )
}

export function invalid(visit: Visit): Problems {
  return { '': visit.t('page-invalid') }
}

/** Changes a value; a change by another admin in the meantime becomes the problem of its field. */
export async function change(
  visit: Visit,
  { field, describe }: { field: string; describe: (now: string | null) => string },
  work: () => Promise<Problems | undefined>,
): Promise<Problems> {
  try {
    return (await work()) ?? {}
  } catch (error) {
    if (!(error instanceof ChangedMeanwhileError)) throw error
    return { [field]: visit.t('page-changed-meanwhile', { value: describe(error.now) }) }
  }
}
