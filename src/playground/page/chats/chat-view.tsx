import { Composer } from '../composer/composer.tsx'
import { Messages } from '../messages/messages.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { Icon, IconButton } from '../parts/icons.tsx'
import { attempt } from '../parts/notices.tsx'
import { Popover } from '../parts/popover.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { chats, hasTopics, threadShown } from '../state/chats.ts'
import { isTyping } from '../state/describe.ts'
import { bot, botName, faceOf, isBotIn, nameOf, titleOf } from '../state/people.ts'
import { act } from '../state/request.ts'
import { replaceRoute, route, show } from '../state/route.ts'
import { words } from '../words/language.ts'
import { TopicList } from './topic-list.tsx'

/** Shows an open chat: header, messages and composer; of a forum the topics first. */
export function ChatView({ chat }: { chat: ChatState }) {
  const info = chat.info.value
  const threadId = threadShown.value
  const thread = threadId ?? 0
  const isNew = info.chat.type === 'private' && chat.messages.value.length === 0
  return (
    <section class="chat" aria-label={titleOf(info.chat)}>
      <Header chat={chat} />
      {hasTopics(info) && threadId === undefined ? (
        <TopicList chat={chat} />
      ) : (
        <>
          {isNew ? (
            <Greeting />
          ) : (
            <Messages key={`${chat.id}/${thread}`} chat={chat} threadId={thread} />
          )}
          <Composer key={`${chat.id}/${thread}/composer`} chat={chat} threadId={thread} />
        </>
      )}
    </section>
  )
}

/** Shows a hint while no chat is open. */
export function Nothing() {
  const { shell, back } = words.value
  const { chatId } = route.value
  const isGone = chatId !== undefined && chats.value !== undefined
  return (
    <section class="chat" aria-label={shell.title}>
      <header class="header header-bare">
        {chatId === undefined ? null : (
          <IconButton
            class="narrow-only"
            icon="back"
            label={back}
            onClick={() => show({ chatId: undefined })}
          />
        )}
        <h1 class="unseen">{shell.title}</h1>
        <PanelButton />
      </header>
      <p class="nothing">
        {chats.value === undefined ? shell.starting : isGone ? shell.gone : shell.choose}
      </p>
    </section>
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

function Header({ chat }: { chat: ChatState }) {
  const { chat: about } = chat.info.value
  const isTopic = threadShown.value !== undefined
  return (
    <header class="header">
      <IconButton
        class={isTopic ? '' : 'narrow-only'}
        icon="back"
        label={words.value.back}
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
      <PanelButton />
    </header>
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

function Subtitle({ chat }: { chat: ChatState }) {
  const { shell } = words.value
  const { chat: about, members } = chat.info.value
  const threadId = threadShown.value
  const isPrivate = about.type === 'private'
  if (isTyping(chat, threadId)) {
    return <span class="doing">{isPrivate ? shell.typing : shell.isTyping(botName())}</span>
  }
  if (isPrivate) return shell.bot
  if (threadId !== undefined) return titleOf(about)
  return shell.members(members.length + (isBotIn(chat.info.value) ? 1 : 0))
}

/** Lets the person block the bot. */
function ChatMenu({ chat }: { chat: ChatState }) {
  const { shell, more } = words.value
  const { is_started: isStarted, is_blocked: isBlocked, chat: about } = chat.info.value
  if (about.type !== 'private' || !isStarted) return null
  return (
    <Popover class="icon-button" label={more} side="right" button={<Icon name="more" />}>
      {(close) => (
        <button
          type="button"
          class={isBlocked ? 'option' : 'option bad'}
          onClick={() => {
            close()
            const body = { is_blocked: !isBlocked }
            void attempt(() => act('/chats/:id/blocks', body, chat.id))
          }}
        >
          {isBlocked ? shell.unblock : shell.block}
        </button>
      )}
    </Popover>
  )
}

/** Shows the bot's description in a chat without messages. */
function Greeting() {
  const described = bot.value
  if (described === undefined) return <div class="greeting" />
  const { shell } = words.value
  return (
    <div class="greeting">
      <div class="greeting-card">
        <Avatar id={described.me.id} name={nameOf(described.me)} />
        <h2>{shell.whatItDoes}</h2>
        <p class="plain-lines">{described.description || shell.noDescription}</p>
      </div>
    </div>
  )
}
