import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { route } from './route.ts'
import { Navigation } from './shell/navigation.tsx'
import { SessionNote } from './shell/session-note.tsx'
import { followLive } from './talk/live.ts'
import { session } from './talk/session.ts'
import { SignInView } from './views/sign-in.tsx'
import { ViewOf } from './views/view-of.tsx'
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
