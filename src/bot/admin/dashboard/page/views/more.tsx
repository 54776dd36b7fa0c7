import type { WireVisitor } from '../../api.ts'
import { Icon } from '../parts/icons.tsx'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { nameOf } from '../parts/user-label.tsx'
import { BEHIND_MORE, hrefOfSection } from '../shell/navigation.tsx'
import { View } from '../shell/view.tsx'
import { signOut } from '../talk/session.ts'
import { words } from '../words/language.ts'

/** Leads a phone to the sections that its bottom row has no room for; on any screen it shows who is signed in. */
export function MoreView({ me }: { me: WireVisitor }) {
  const { access, language, sections, signedInAs, signOut: leave, timeZone, viewer } = words.value
  return (
    <View title={sections.more}>
      <ul class="card list phone-only behind-more">
        {BEHIND_MORE.map((section) => (
          <li key={section}>
            <a class="list-item" href={hrefOfSection(section)}>
              <Icon name={section} />
              <span class="list-main">{sections[section]}</span>
              <Icon name="forward" />
            </a>
          </li>
        ))}
      </ul>
      <section class="card stack" aria-label={signedInAs}>
        <p class="hint">{signedInAs}</p>
        <p class="big-name">{nameOf({ id: me.userId, name: me.name })}</p>
        <p class="hint">{access.roles[me.role]}</p>
        {me.role === 'viewer' ? <p>{viewer}</p> : null}
        <p class="hint">{timeZone(me.timeZone)}</p>
        <h2 class="hint">{language}</h2>
        <LanguageChoice />
        <div>
          <button type="button" class="button" onClick={() => void signOut()}>
            {leave}
          </button>
        </div>
      </section>
    </View>
  )
}
