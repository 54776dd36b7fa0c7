import type { RichBlockCaption } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { RichText } from './rich-text.tsx'

/** Media with what is written below it. */
export function Captioned({
  caption,
  children,
}: {
  caption: RichBlockCaption | undefined
  children: ComponentChildren
}) {
  return (
    <figure class="rich-figure">
      {children}
      {caption === undefined ? null : (
        <figcaption class="hint small">
          <RichText text={caption.text} />
          {caption.credit === undefined ? null : (
            <cite>
              <RichText text={caption.credit} />
            </cite>
          )}
        </figcaption>
      )}
    </figure>
  )
}
