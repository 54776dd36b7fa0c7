import type { User } from 'grammy/types'
import { Avatar } from '../parts/avatar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { route } from '../route.ts'
import { isBotIn } from '../state/bot-status.ts'
import type { ChatState } from '../state/chat-state.ts'
import { nameOf } from '../state/names.ts'
import { bot, userOf } from '../state/people.ts'
import { words } from '../words/language.ts'

/** Lists who is in a chat; of a private one it shows how the bot describes itself. */
export function AboutDialog({ chat, onClose }: { chat: ChatState; onClose: () => void }) {
  const { shell } = words.value
  const { chat: about, members, bot_status: status } = chat.info.value
  const described = bot.value
  const isPrivate = about.type === 'private'
  const hasBot = isBotIn(chat.info.value)
  const users = members.map(userOf).filter((user) => user !== undefined)
  return (
    <Dialog title={isPrivate ? shell.aboutBot : shell.membersTitle} onClose={onClose}>
      {isPrivate && described !== undefined ? (
        <p class="plain-lines">
          {described.short_description || described.description || shell.noDescription}
        </p>
      ) : null}
      <ul class="member-list">
        {described === undefined || !hasBot ? null : (
          <Member
            user={described.me}
            tag={status === 'administrator' ? shell.botAdministrator : shell.bot}
          />
        )}
        {isPrivate
          ? null
          : users.map((user) => (
              <Member
                key={user.id}
                user={user}
                tag={user.id === route.value.as ? shell.you : undefined}
              />
            ))}
      </ul>
      {hasBot ? null : <p class="hint">{shell.botIsOut}</p>}
    </Dialog>
  )
}

function Member({ user, tag }: { user: User; tag: string | undefined }) {
  return (
    <li class="member">
      <Avatar id={user.id} name={nameOf(user)} size="small" />
      <span class="member-words">
        <span class="cut">{nameOf(user)}</span>
        <span class="hint small cut">
          {user.username === undefined ? '' : `@${user.username} · `}
          {user.id}
        </span>
      </span>
      {tag === undefined ? null : <span class="tag">{tag}</span>}
    </li>
  )
}
