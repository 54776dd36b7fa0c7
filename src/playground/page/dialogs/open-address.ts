import { act } from '../request.ts'
import { route, show } from '../route.ts'
import { bot } from '../state/people.ts'
import { attempt } from './attempt.ts'
import { askToOpen } from './link-dialog.tsx'

/**
 * Opens an address as Telegram does: one of the bot itself (`t.me/name?start=…`) leads to its chat and starts it with
 * what it was given, any other is asked for.
 */
export function openAddress(address: string): void {
  const start = readStart(address)
  if (start === undefined) askToOpen(address)
  else openChat(start.payload)
}

function openChat(payload: string): void {
  const { as } = route.value
  if (as === undefined) return
  void attempt(async () => {
    if (payload !== '') await act('/chats/:id/starts', { payload }, as)
    show({ chatId: as })
  })
}

/** Follows a link that was pressed here if it is one of the bot itself; any other is the browser's. */
export function followLink(event: Event, address: string): void {
  const start = readStart(address)
  if (start === undefined) return
  event.preventDefault()
  openChat(start.payload)
}

function readStart(address: string): { payload: string } | undefined {
  const url = URL.parse(address)
  const name = bot.value?.me.username.toLowerCase()
  if (url?.hostname !== 't.me' || url.pathname.slice(1).toLowerCase() !== name) return undefined
  return { payload: url.searchParams.get('start') ?? '' }
}
