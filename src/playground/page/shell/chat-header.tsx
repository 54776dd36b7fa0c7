import { Avatar } from '../parts/avatar.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { replaceRoute, route, show } from '../route.ts'
import { isBotIn } from '../state/bot-status.ts'
import type { ChatState } from '../state/chat-state.ts'
import { threadShown } from '../state/chats.ts'
import { doingIn } from '../state/doing.ts'
import { faceOf, nameOf, titleOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { ChatMenu } from './chat-menu.tsx'

/** Above a chat: whose it is, what the bot is doing, and what can be done with the whole of it. */
export function ChatHeader({ chat }: { chat: ChatState }) {
  const { chat: about } = chat.info.value
  const { shell, back } = words.value
  const isTopic = threadShown.value !== undefined
  return (
    <header class="header">
      <IconButton
        class={isTopic ? '' : 'narrow-only'}
        icon="back"
        label={back}
        onClick={() => show(isTopic ? { threadId: undefined } : { chatId: undefined })}
      />
      <Avatar id={faceOf(about)} name={titleOf(about)} size="small" />
      <div class="header-words">
        <h1 class="cut">{headingOf(chat)}</h1>
        <p class="header-line cut">
          <Subtitle chat={chat} />
        </p>
      </div>
      <ChatMenu chat={chat} />
      <IconButton
        icon="panel"
        label={shell.panel}
        isPressed={route.value.hasPanel}
        onClick={() => replaceRoute({ hasPanel: !route.value.hasPanel })}
      />
    </header>
  )
}

/** Returns the name of the open chat or topic. */
export function headingOf(chat: ChatState): string {
  const { chat: about, topics } = chat.info.value
  const threadId = threadShown.value
  if (threadId === undefined) return titleOf(about)
  const topic = topics.find(({ thread_id: id }) => id === threadId)
  return topic?.name ?? words.value.shell.general
}

function Subtitle({ chat }: { chat: ChatState }) {
  const { shell } = words.value
  const { chat: about, members } = chat.info.value
  const threadId = threadShown.value
  const doing = doingIn(chat, threadId)
  if (doing !== undefined) {
    const name = bot.value === undefined ? '' : nameOf(bot.value.me)
    return (
      <span class="doing">{about.type === 'private' ? doing : shell.isDoing(name, doing)}</span>
    )
  }
  if (about.type === 'private') return shell.bot
  if (threadId !== undefined) return titleOf(about)
  return shell.members(members.length + (isBotIn(chat.info.value) ? 1 : 0))
}
