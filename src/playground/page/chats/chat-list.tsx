import { Avatar } from '../parts/avatar.tsx'
import { hrefOf, route } from '../route.ts'
import { chats } from '../state/chats.ts'
import { faceOf, titleOf } from '../state/names.ts'
import { words } from '../words/language.ts'

/** The chats that the person is in. */
export function ChatList() {
  return (
    <ul class="chat-list">
      {(chats.value ?? []).map(({ id, info }) => {
        const { chat } = info.value
        return (
          <li key={id}>
            <a
              class="chat-row"
              href={hrefOf({ chatId: id })}
              aria-current={route.value.chatId === id ? 'page' : undefined}
            >
              <Avatar id={faceOf(chat)} name={titleOf(chat)} />
              <span class="cut">{titleOf(chat)}</span>
            </a>
          </li>
        )
      })}
      {chats.value?.length === 0 ? <li class="hint">{words.value.shell.noChats}</li> : null}
    </ul>
  )
}
