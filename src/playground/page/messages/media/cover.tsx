import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../../words/language.ts'

/** Blurs media until it is pressed, if its author asked for that. */
export function Cover({
  isCovered,
  children,
}: {
  isCovered: boolean
  children: ComponentChildren
}) {
  const [isShown, setShown] = useState(false)
  if (!isCovered || isShown) return <>{children}</>
  return (
    <div class="covered">
      <div class="covered-inside" inert>
        {children}
      </div>
      <button
        type="button"
        class="covered-button"
        aria-label={words.value.message.showSpoiler}
        onClick={() => setShown(true)}
      />
    </div>
  )
}
