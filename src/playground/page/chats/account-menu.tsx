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
  const [isAdding, setAdding] = useState(false)
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
            <button
              type="button"
              class="option"
              onClick={() => {
                close()
                setAdding(true)
              }}
            >
              <Icon name="addPerson" />
              {shell.newPerson}
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
      {isAdding ? (
        <NameDialog
          title={shell.newPerson}
          label={shell.firstName}
          max={64}
          onClose={() => setAdding(false)}
          onDone={async (name) => {
            const body = { first_name: name, language_code: language.value }
            const { user } = await act('/people', body)
            show({ as: user.id })
          }}
        />
      ) : null}
    </>
  )
}
