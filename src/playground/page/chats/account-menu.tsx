import { useState } from 'preact/hooks'
import type { Language } from '../../../platform/page/language.ts'
import { Segments } from '../../../platform/page/segments.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { NameDialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { Popover } from '../parts/popover.tsx'
import { me, nameOf, people } from '../state/people.ts'
import { act } from '../state/request.ts'
import { hrefOf, route, show } from '../state/route.ts'
import { chooseTheme, THEMES, theme } from '../state/theme.ts'
import { chooseLanguage, language, WORDS, words } from '../words/language.ts'

/** Shows the current person, and lets the visitor be another one; sets language and colours of the page. */
export function AccountMenu() {
  const [dialog, setDialog] = useState<'person' | 'group'>()
  const { shell } = words.value
  const self = me.value
  const name = self === undefined ? '…' : nameOf(self)
  return (
    <>
      <Popover
        class="account"
        button={
          <>
            <Avatar id={self?.id ?? 0} name={name} size="small" />
            <span class="account-name cut">
              <span class="unseen">{shell.youAre}: </span>
              {name}
            </span>
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <>
            <h2 class="menu-title">{shell.youAre}</h2>
            <ul>
              {people.value.map(({ user }) => (
                <li key={user.id}>
                  <a
                    class="option"
                    href={hrefOf({ as: user.id })}
                    aria-current={user.id === route.value.as ? 'true' : undefined}
                    onClick={close}
                  >
                    <Avatar id={user.id} name={nameOf(user)} size="small" />
                    <span class="cut">{nameOf(user)}</span>
                    {user.id === route.value.as ? <Icon name="check" /> : null}
                  </a>
                </li>
              ))}
            </ul>
            <button type="button" class="option" onClick={() => open('person', close)}>
              <Icon name="addPerson" />
              {shell.newPerson}
            </button>
            <button type="button" class="option" onClick={() => open('group', close)}>
              <Icon name="group" />
              {shell.newGroup}
            </button>
            <div class="menu-settings">
              <Segments
                label={shell.language}
                options={Object.entries(WORDS).map(([value, { name: label }]) => {
                  return { value: value as Language, label }
                })}
                value={language.value}
                onChange={chooseLanguage}
              />
              <Segments
                label={shell.theme}
                options={THEMES.map((value) => ({ value, label: shell.themes[value] }))}
                value={theme.value}
                onChange={chooseTheme}
              />
            </div>
          </>
        )}
      </Popover>
      {dialog === 'person' ? <NewPersonDialog onClose={() => setDialog(undefined)} /> : null}
      {dialog === 'group' ? <NewGroupDialog onClose={() => setDialog(undefined)} /> : null}
    </>
  )

  function open(which: 'person' | 'group', close: () => void): void {
    close()
    setDialog(which)
  }
}

function NewPersonDialog({ onClose }: { onClose: () => void }) {
  const { shell } = words.value
  return (
    <NameDialog
      title={shell.newPerson}
      label={shell.firstName}
      max={64}
      onClose={onClose}
      onDone={async (name) => {
        const body = { first_name: name, language_code: language.value }
        const { user } = await act('/people', body)
        show({ as: user.id })
      }}
    />
  )
}

/** Creates a group of everybody with the bot. */
function NewGroupDialog({ onClose }: { onClose: () => void }) {
  const [isForum, setForum] = useState(false)
  const { shell } = words.value
  return (
    <NameDialog
      title={shell.newGroup}
      label={shell.groupTitle}
      max={128}
      onClose={onClose}
      onDone={async (title) => {
        const { chat_id: chatId } = await act('/groups', {
          title,
          is_forum: isForum,
          members: people.value.map(({ user }) => user.id),
          bot_status: 'member',
        })
        show({ chatId })
      }}
    >
      <label class="tick">
        <input type="checkbox" checked={isForum} onChange={() => setForum(!isForum)} />
        {shell.withTopics}
      </label>
      <p class="hint">{shell.groupHint}</p>
    </NameDialog>
  )
}
