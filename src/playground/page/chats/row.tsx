import type { ComponentChildren } from 'preact'
import { words } from '../words/language.ts'

/** A chat or a topic in a list: its face, name and time, what was said last, how much is unread. */
export function Row(props: {
  href: string
  isCurrent: boolean
  face: ComponentChildren
  title: string
  mark?: ComponentChildren
  time: string
  line: ComponentChildren
  unread: number
}) {
  const { unread } = props
  return (
    <a class="row" href={props.href} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.face}
      <span class="row-head">
        <span class="row-title cut">{props.title}</span>
        {props.mark}
        <span class="row-time num">{props.time}</span>
      </span>
      <span class="row-foot">
        <span class="row-line cut">{props.line}</span>
        {unread === 0 ? null : (
          <span class="badge num">
            <span aria-hidden="true">{unread}</span>
            <span class="unseen">{words.value.shell.unread(unread)}</span>
          </span>
        )}
      </span>
    </a>
  )
}
