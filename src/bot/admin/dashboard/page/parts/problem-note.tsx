import type { Problem } from '../talk/request.ts'
import { words } from '../words/language.ts'

/** Says, where it happened, what went wrong and what to do; `onRetry` where trying again may help. */
export function ProblemNote(props: { problem: Problem; onRetry?: (() => void) | undefined }) {
  const { problem, onRetry } = props
  return (
    <div class="note note-problem" role="alert">
      <p>{sentenceOf(problem)}</p>
      {'detail' in problem && problem.detail !== '' ? (
        <p class="hint" lang="en">
          {problem.detail}
        </p>
      ) : null}
      {onRetry !== undefined && problem.type !== 'session' ? (
        <button type="button" class="button" onClick={onRetry}>
          {words.value.retry}
        </button>
      ) : null}
    </div>
  )
}

function sentenceOf(problem: Problem): string {
  const { problems } = words.value
  return problem.type === 'busy' ? problems.busy(problem.seconds) : problems[problem.type]
}
