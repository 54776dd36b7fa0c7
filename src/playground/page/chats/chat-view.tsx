import type { WireChat } from '../../web/api.ts'
import { Composer } from '../composer/composer.tsx'
import { Messages } from '../messages/messages.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { Icon, IconButton } from '../parts/icons.tsx'
import { MenuButton } from '../parts/menu.tsx'
import { attempt } from '../parts/notices.tsx'
import { chats, hasTopics, historyOf, isTyping, threadShown } from '../state/chats.ts'
import { bot, botName, faceOf, nameOf, titleOf } from '../state/people.ts'
import { act } from '../state/request.ts'
import { replaceRoute, route, show } from '../state/route.ts'
import { words } from '../words/language.ts'
import { TopicList } from './topic-list.tsx'

/** Shows an open chat: header, messages and composer; of a forum the topics first. */
export function ChatView({ chat }: { chat: WireChat }) {
  const threadId = threadShown.value
  const thread = threadId ?? 0
  const { id, type } = chat.chat
  const isNew = type === 'private' && historyOf(id).messages.length === 0
  return (
    <section class="chat" aria-label={titleOf(chat.chat)}>
      <Header chat={chat} />
      {hasTopics(chat) && threadId === undefined ? (
        <TopicList chat={chat} />
      ) : (
        <>
          {isNew ? (
            <Greeting />
          ) : (
            <Messages key={`${id}/${thread}`} chat={chat} threadId={thread} />
          )}
          <Composer key={`${id}/${thread}/composer`} chat={chat} threadId={thread} />
        </>
      )}
    </section>
  )
}

export function Nothing() {
  const { shell } = words.value
  const { chatId } = route.value
  const isGone = chatId !== undefined && chats.value !== undefined
  return (
    <section class="chat" aria-label={shell.title}>
      <header class="header header-bare">
        {chatId === undefined ? null : <BackButton isTopic={false} />}
        <h1 class="unseen">{shell.title}</h1>
        <PanelButton />
      </header>
      <p class="plate nothing">
        {chats.value === undefined ? shell.starting : isGone ? shell.gone : shell.choose}
      </p>
    </section>
  )
}

export function headingOf({ chat, topics }: WireChat): string {
  const threadId = threadShown.value
  if (threadId === undefined) return titleOf(chat)
  const topic = topics.find(({ thread_id: id }) => id === threadId)
  return topic?.name ?? words.value.shell.general
}

function Header({ chat }: { chat: WireChat }) {
  return (
    <header class="header">
      <BackButton isTopic={threadShown.value !== undefined} />
      <Avatar id={faceOf(chat.chat)} name={titleOf(chat.chat)} look="small" />
      <div class="fill">
        <h1 class="cut">{headingOf(chat)}</h1>
        <p class="hint small cut">
          <Subtitle chat={chat} />
        </p>
      </div>
      <ChatMenu chat={chat} />
      <PanelButton />
    </header>
  )
}

function BackButton({ isTopic }: { isTopic: boolean }) {
  return (
    <IconButton
      class={isTopic ? '' : 'narrow-only'}
      icon="back"
      label={words.value.back}
      onClick={() => show(isTopic ? { threadId: undefined } : { chatId: undefined })}
    />
  )
}

function PanelButton() {
  const { hasPanel } = route.value
  return (
    <IconButton
      class="at-end"
      icon="panel"
      label={words.value.shell.panel}
      isPressed={hasPanel}
      onClick={() => replaceRoute({ hasPanel: !hasPanel })}
    />
  )
}

function Subtitle({ chat }: { chat: WireChat }) {
  const { shell } = words.value
  const threadId = threadShown.value
  const isPrivate = chat.chat.type === 'private'
  if (isTyping(chat, threadId)) {
    return <span class="doing">{isPrivate ? shell.typing : shell.isTyping(botName())}</span>
  }
  if (isPrivate) return <>{shell.bot}</>
  if (threadId !== undefined) return <>{titleOf(chat.chat)}</>
  const isBotIn = chat.bot_status !== 'left' && chat.bot_status !== 'kicked'
  return <>{shell.members(chat.members.length + (isBotIn ? 1 : 0))}</>
}

function ChatMenu({ chat }: { chat: WireChat }) {
  const { shell, more } = words.value
  const { is_started: isStarted, is_blocked: isBlocked } = chat
  if (chat.chat.type !== 'private' || !isStarted) return null
  return (
    <MenuButton class="icon-button" label={more} button={<Icon name="more" />}>
      {(close) => (
        <button
          type="button"
          class={isBlocked ? 'option row' : 'option row bad'}
          onClick={() => {
            close()
            const body = { is_blocked: !isBlocked }
            void attempt(() => act('/chats/:id/blocks', body, chat.chat.id))
          }}
        >
          {isBlocked ? shell.unblock : shell.block}
        </button>
      )}
    </MenuButton>
  )
}

/** Shows the bot's description in a chat without messages. */
function Greeting() {
  const described = bot.value
  const { shell } = words.value
  return (
    <div class="greeting scroll">
      {described === undefined ? null : (
        <div class="greeting-card">
          <Avatar id={described.me.id} name={nameOf(described.me)} />
          <h2>{shell.whatItDoes}</h2>
          <p class="plain-lines">{described.description || shell.noDescription}</p>
        </div>
      )}
    </div>
  )
}
