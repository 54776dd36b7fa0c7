import { effect } from '@preact/signals'
import { chatShown } from '../state/chats.ts'
import { unreadInAll } from '../state/unread.ts'
import { words } from '../words/language.ts'
import { headingOf } from './chat-header.tsx'

/** Keeps the tab's name: how much is unread, and which chat is open. */
export function followTitle(): void {
  effect(() => {
    const unread = unreadInAll()
    const chat = chatShown.value
    const { title } = words.value.shell
    const heading = chat === undefined ? title : `${headingOf(chat)} · ${title}`
    document.title = unread === 0 ? heading : `(${unread}) ${heading}`
  })
}
