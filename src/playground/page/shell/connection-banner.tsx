import { useEffect, useState } from 'preact/hooks'
import { connection } from '../live.ts'
import { words } from '../words/language.ts'

/** A connection that comes back at once is none of the person's business. */
const PATIENCE_MS = 700

/** Says that what the page shows may be old, for as long as the playground does not answer. */
export function ConnectionBanner() {
  const [isLong, setLong] = useState(false)
  const isOpen = connection.value === 'open'
  useEffect(() => {
    if (isOpen) return setLong(false)
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isOpen])
  return (
    <div class="banner-box" role="status">
      {!isOpen && isLong ? (
        <p class="banner">
          <span class="spinner" aria-hidden="true" />
          {words.value.shell.lost}
        </p>
      ) : null}
    </div>
  )
}
