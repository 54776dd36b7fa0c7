import type { RichTextDateTime } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { language } from '../../words/language.ts'
import { formatDateTime } from './date-time.ts'

interface DateTimeProps {
  unixTime: number
  format: RichTextDateTime['date_time_format']
  children: ComponentChildren
}

/** A moment in the reader's own language and time zone; its author's words where it has no format. */
export function DateTime({ unixTime, format, children }: DateTimeProps) {
  const at = new Date(unixTime * 1000)
  // A date beyond what a browser counts: the author's words are all there is to show.
  if (Number.isNaN(at.getTime())) return <>{children}</>
  const written = formatDateTime({ unixTime, format, language: language.value })
  return (
    <time class="named" dateTime={at.toISOString()} title={at.toLocaleString(language.value)}>
      {written ?? children}
    </time>
  )
}
