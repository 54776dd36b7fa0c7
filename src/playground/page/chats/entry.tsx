import type { ComponentChildren } from 'preact'
import { words } from '../words/language.ts'

/** A chat or a topic in a list: its face, name and time, its last message, how much is unread. */
export function Entry(props: {
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
    <a class="entry" href={props.href} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.face}
      <span class="entry-head">
        <span class="entry-title cut">{props.title}</span>
        {props.mark}
        <span class="entry-time num">{props.time}</span>
      </span>
      <span class="entry-foot">
        <span class="entry-line cut">{props.line}</span>
        {unread === 0 ? null : (
          <span class="count num">
            <span aria-hidden="true">{unread}</span>
            <span class="unseen">{words.value.shell.unread(unread)}</span>
          </span>
        )}
      </span>
    </a>
  )
}
