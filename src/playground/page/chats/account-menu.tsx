import { Avatar } from '../parts/avatar.tsx'
import { Icon } from '../parts/icons.tsx'
import { MenuButton } from '../parts/menu.tsx'
import { attempt } from '../parts/notices.tsx'
import { me, nameOf, people } from '../state/people.ts'
import { act } from '../state/request.ts'
import { hrefOf, show } from '../state/route.ts'
import { chooseLanguage, type Language, language, WORDS, words } from '../words/language.ts'

const LANGUAGES = Object.entries(WORDS).map(([value, { name }]) => {
  return { value: value as Language, label: name }
})

/** Shows the current person, and lets the visitor be another one; sets the language of the page. */
export function AccountMenu() {
  const { shell } = words.value
  const self = me.value
  const name = self === undefined ? '…' : nameOf(self)
  const button = (
    <>
      <Avatar id={self?.id ?? 0} name={name} look="small" />
      <span class="cut">
        <span class="unseen">{shell.youAre}: </span>
        {name}
      </span>
      <Icon name="down" />
    </>
  )
  return (
    <MenuButton class="account row" button={button}>
      {(close) => (
        <>
          <h2 class="menu-title hint">{shell.youAre}</h2>
          {people.value.map((user) => (
            <a
              key={user.id}
              class="option row"
              href={hrefOf({ as: user.id })}
              aria-current={user.id === self?.id ? 'true' : undefined}
              onClick={close}
            >
              <Avatar id={user.id} name={nameOf(user)} look="small" />
              <span class="cut">{nameOf(user)}</span>
              {user.id === self?.id ? <Icon name="check" /> : null}
            </a>
          ))}
          <button
            type="button"
            class="option row"
            onClick={() => {
              close()
              addPerson()
            }}
          >
            <Icon name="addPerson" />
            {shell.newPerson}
          </button>
          <div class="menu-settings">
            <LanguageChoice />
          </div>
        </>
      )}
    </MenuButton>
  )
}

function LanguageChoice() {
  return (
    <fieldset>
      <legend>{words.value.shell.language}</legend>
      <div class="segment-list">
        {LANGUAGES.map(({ value, label }) => (
          <label key={value} class="segment">
            <input
              type="radio"
              name="language"
              value={value}
              checked={value === language.value}
              onChange={() => chooseLanguage(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function addPerson(): void {
  const name = prompt(words.value.shell.firstName)?.trim()
  if (!name) return
  const body = { first_name: name, language_code: language.value }
  void attempt(async () => show({ as: (await act('/people', body)).id }))
}
