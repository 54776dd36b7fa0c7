import { listen } from '../live.ts'
import { replaceRoute, route } from '../route.ts'
import { chatsInOrder } from '../state/chats.ts'
import { isWide } from './is-wide.ts'

/** Opens the chat with a bot that one has not met, where there is room beside the list: it is what one came for. */
export function followFirstChat(): void {
  const end = listen('state', () => {
    end()
    const first = chatsInOrder.value[0]
    if (!isWide() || route.value.chatId !== undefined || first === undefined) return
    if (!first.info.value.is_started) replaceRoute({ chatId: first.id })
  })
}
