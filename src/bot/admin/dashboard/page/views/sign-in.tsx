import { LanguageChoice } from '../parts/language-choice.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { type PageSession, start } from '../talk/session.ts'
import { words } from '../words/language.ts'

/** Explains how to sign in; it asks for nothing else. */
export function SignInView({ session }: { session: Exclude<PageSession, { state: 'open' }> }) {
  const { signIn } = words.value
  if (session.state === 'starting') {
    return (
      <main class="alone">
        <p class="hint" role="status">
          {signIn.starting}
        </p>
      </main>
    )
  }
  return (
    <main class="alone">
      <div class="card sign-in">
        <h1>{session.hasSignedOut ? signIn.signedOut : signIn.title}</h1>
        {session.error === undefined ? null : (
          <p class="note note-problem" role="alert">
            {signIn.errors[session.error]}
          </p>
        )}
        {session.problem === undefined ? null : (
          <ProblemNote problem={session.problem} onRetry={() => void start(undefined)} />
        )}
        <p>{signIn.how}</p>
        <LanguageChoice />
      </div>
    </main>
  )
}
