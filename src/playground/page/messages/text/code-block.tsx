import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { copyText } from './copy-text.ts'

const SAYS_SO_MS = 2_000

/** Code with its language, and a button that copies it. */
export function CodeBlock({
  language,
  children,
}: {
  language: string | undefined
  children: ComponentChildren
}) {
  const code = useRef<HTMLElement>(null)
  const { code: label, copyCode } = words.value.message
  return (
    <figure class="code">
      <figcaption class="code-header">
        <span class="cut">{language || label}</span>
        <CopyButton label={copyCode} read={() => code.current?.textContent ?? ''} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are reached by scrolling, also by keyboard. */}
      <pre tabIndex={0}>
        <code ref={code}>{children}</code>
      </pre>
    </figure>
  )
}

/** Copies what it stands beside, and says so for a moment. */
function CopyButton({ label, read }: { label: string; read: () => string }) {
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
