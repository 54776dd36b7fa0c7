import { useEffect, useState } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { copyText } from './copy-text.ts'

const SAYS_SO_MS = 2_000

/** Copies what it stands beside, and says so for a moment. */
export function CopyButton({ label, read }: { label: string; read: () => string }) {
  const [isCopied, setCopied] = useState<boolean | undefined>()
  useEffect(() => {
    if (isCopied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), SAYS_SO_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const { copy, copied, notCopied } = words.value.message
  const shown = isCopied === undefined ? copy : isCopied ? copied : notCopied
  return (
    <button
      type="button"
      class="code-copy"
      aria-label={isCopied === undefined ? label : shown}
      onClick={() => void copyText(read()).then(setCopied)}
    >
      <span aria-live="polite">{shown}</span>
    </button>
  )
}
