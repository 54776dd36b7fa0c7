import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { WireVisitor } from '../api.ts'
import { route } from './route.ts'
import { Navigation } from './shell/navigation.tsx'
import { View } from './shell/view.tsx'
import { followLive } from './talk/live.ts'
import { session } from './talk/session.ts'
import { isInTelegram } from './telegram/launch.ts'
import { AccessView } from './views/access.tsx'
import { AlertsView } from './views/alerts.tsx'
import { ChangesView } from './views/changes.tsx'
import { CheckView } from './views/check.tsx'
import { LimitsView } from './views/limits.tsx'
import { MoreView } from './views/more.tsx'
import { OverviewView } from './views/overview.tsx'
import { SignInView } from './views/sign-in.tsx'
import { UserView } from './views/user.tsx'
import { UsersView } from './views/users.tsx'
import { language, words } from './words/language.ts'

/** The whole page: a reader who is not signed in learns how to, others see the view that the address names. */
export function App() {
  const current = session.value
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  if (current.state !== 'open') return <SignInView session={current} />
  return (
    <Shell isOver={current.isOver}>
      {current.isOver ? <SessionNote /> : null}
      <ViewOf me={current.me} />
    </Shell>
  )
}

function Shell({ isOver, children }: { isOver: boolean; children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null)
  const view = route.value.path.join('/')
  const isFirst = useRef(true)
  useEffect(() => (isOver ? undefined : followLive()), [isOver])
  // Another view begins at its title, for eyes and screen readers.
  useEffect(() => {
    const title = main.current?.querySelector('h1')
    document.title = `${title?.textContent ?? ''} · Kopeck`
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    scrollTo(0, 0)
    title?.focus({ preventScroll: true })
  }, [view])
  return (
    <div class="shell">
      <button
        type="button"
        class="skip"
        onClick={() => main.current?.querySelector('h1')?.focus({ preventScroll: false })}
      >
        {words.value.skip}
      </button>
      <Navigation />
      <main ref={main} class="main">
        {children}
      </main>
    </div>
  )
}

/** Over what stays on the page when its session has ended: how to go on. */
function SessionNote() {
  const { signIn } = words.value
  return (
    <div class="note note-problem" role="alert">
      <p>
        <strong>{signIn.ended}</strong>
      </p>
      <p>{isInTelegram ? signIn.endedTelegram : signIn.endedHint}</p>
    </div>
  )
}

/** The view that the address names. */
function ViewOf({ me }: { me: WireVisitor }) {
  const [section, id] = route.value.path
  const canChange = me.role === 'admin'
  switch (section) {
    case undefined:
    case 'spend':
      return <OverviewView />
    case 'users':
      if (id === undefined) return <UsersView />
      return <UserView key={id} id={id} canChange={canChange} timeZone={me.timeZone} />
    case 'check':
      return <CheckView timeZone={me.timeZone} />
    case 'limits':
      return <LimitsView canChange={canChange} timeZone={me.timeZone} />
    case 'access':
      return <AccessView canChange={canChange} />
    case 'alerts':
      return <AlertsView canChange={canChange} timeZone={me.timeZone} />
    case 'changes':
      return <ChangesView timeZone={me.timeZone} />
    case 'more':
      return <MoreView me={me} />
    default:
      return (
        <View title={words.value.problems.missingPage} hasBack>
          {null}
        </View>
      )
  }
}
