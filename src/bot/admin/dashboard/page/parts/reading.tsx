import type { ComponentChildren } from 'preact'
import type { Read } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { ProblemNote } from './problem-note.tsx'

/**
 * Shows what was read; until the first answer, grey lines of about its height. A reading that failed says
 * so above what was read before it.
 */
export function Reading<T>(props: {
  read: Read<T>
  lines?: number
  children: (data: T) => ComponentChildren
}) {
  const { read, lines = 4, children } = props
  return (
    <>
      {read.problem === undefined ? null : (
        <ProblemNote problem={read.problem} onRetry={read.readAgain} />
      )}
      {read.data !== undefined ? children(read.data) : null}
      {read.data === undefined && read.problem === undefined ? <Skeleton lines={lines} /> : null}
    </>
  )
}

function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{words.value.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" />
      ))}
    </div>
  )
}
