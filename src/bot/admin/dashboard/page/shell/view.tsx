import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/icons.tsx'
import { goBack } from '../route.ts'
import { isInTelegram } from '../telegram/launch.ts'
import { words } from '../words/language.ts'

/** A view's title, what stands beside it, and its content. */
export function View(props: {
  title: string
  /** Outside of Telegram, which has a button of its own. */
  hasBack?: boolean
  subtitle?: ComponentChildren
  action?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <>
      <header class="view-header">
        {props.hasBack && !isInTelegram ? (
          <button type="button" class="button button-icon" onClick={goBack}>
            <Icon name="back" />
            <span class="unseen">{words.value.back}</span>
          </button>
        ) : null}
        <div class="view-title">
          <h1 tabIndex={-1}>{props.title}</h1>
          {props.subtitle === undefined ? null : <p class="hint">{props.subtitle}</p>}
        </div>
        {props.action}
      </header>
      {props.children}
    </>
  )
}
