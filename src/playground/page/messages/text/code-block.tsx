import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { CopyButton } from './copy-button.tsx'

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
