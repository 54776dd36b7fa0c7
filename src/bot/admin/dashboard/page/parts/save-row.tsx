import type { ComponentChildren } from 'preact'
import type { Save } from '../talk/use-save.ts'
import { words } from '../words/language.ts'
import { ProblemNote } from './problem-note.tsx'

/** The end of a form: its buttons, how saving stands, and what went wrong with it. */
export function SaveRow(props: {
  saving: Pick<Save, 'isSaving' | 'isSaved' | 'problem'>
  children?: ComponentChildren
}) {
  const { isSaving, isSaved, problem } = props.saving
  const { save, saving, saved } = words.value
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <div class="save-row">
        {/* Never disabled while it saves: a disabled button drops the keyboard's focus. */}
        <button type="submit" class="button button-main" aria-disabled={isSaving}>
          {isSaving ? saving : save}
        </button>
        {props.children}
        <span class="saved" role="status">
          {isSaved ? saved : ''}
        </span>
      </div>
    </>
  )
}
