import { useState } from 'preact/hooks'
import type { WireTopic } from '../../web/api.ts'
import { DeleteTopicDialog, RenameTopicDialog } from '../chats/topic-dialogs.tsx'
import { attempt } from '../dialogs/attempt.ts'
import { Icon } from '../parts/icons.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { Popover } from '../parts/popover.tsx'
import { act } from '../request.ts'
import { route } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { words } from '../words/language.ts'
import { AboutDialog } from './about-dialog.tsx'

/** Lists what can be done with a whole chat or topic. */
export function ChatMenu({ chat }: { chat: ChatState }) {
  const [dialog, setDialog] = useState<'about' | 'rename' | 'delete'>()
  const { shell, more } = words.value
  const { is_started: isStarted, is_blocked: isBlocked, topics, ...info } = chat.info.value
  const isPrivate = info.chat.type === 'private'
  const topic = topics.find(({ thread_id: id }) => id === route.value.threadId)
  return (
    <>
      <Popover class="icon-button" label={more} side="right" button={<Icon name="more" />}>
        {(close) => {
          const choose = (does: () => void) => () => {
            close()
            does()
          }
          return (
            <>
              <MenuButton
                text={isPrivate ? shell.aboutBot : shell.membersTitle}
                onClick={choose(() => setDialog('about'))}
              />
              {topic === undefined ? null : (
                <TopicItems topic={topic} choose={choose} setDialog={setDialog} chat={chat} />
              )}
              {isPrivate && isStarted ? (
                <MenuButton
                  text={isBlocked ? shell.unblock : shell.block}
                  isGrave={!isBlocked}
                  onClick={choose(() => setBlocked(chat, !isBlocked))}
                />
              ) : null}
            </>
          )
        }}
      </Popover>
      {dialog === 'about' ? <AboutDialog chat={chat} onClose={shut} /> : null}
      {dialog === 'rename' && topic !== undefined ? (
        <RenameTopicDialog chat={chat} topic={topic} onClose={shut} />
      ) : null}
      {dialog === 'delete' && topic !== undefined ? (
        <DeleteTopicDialog chat={chat} topic={topic} onClose={shut} />
      ) : null}
    </>
  )

  function shut(): void {
    setDialog(undefined)
  }
}

function TopicItems(props: {
  chat: ChatState
  topic: WireTopic
  choose: (does: () => void) => () => void
  setDialog: (which: 'rename' | 'delete') => void
}) {
  const { chat, topic, choose, setDialog } = props
  const { shell } = words.value
  return (
    <>
      <MenuButton text={shell.renameTopic} onClick={choose(() => setDialog('rename'))} />
      <MenuButton
        text={topic.is_closed ? shell.reopenTopic : shell.closeTopic}
        onClick={choose(() => setClosed(chat, topic, !topic.is_closed))}
      />
      <MenuButton text={shell.deleteTopic} isGrave onClick={choose(() => setDialog('delete'))} />
    </>
  )
}

function setBlocked(chat: ChatState, isBlocked: boolean): void {
  void attempt(() => act('/chats/:id/blocks', { is_blocked: isBlocked }, chat.id))
}

function setClosed(chat: ChatState, topic: WireTopic, isClosed: boolean): void {
  const change = { thread_id: topic.thread_id, is_closed: isClosed }
  void attempt(() => act('/chats/:id/topic-changes', change, chat.id))
}
