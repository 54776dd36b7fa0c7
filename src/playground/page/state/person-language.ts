import { effect } from '@preact/signals'
import { listen } from '../live.ts'
import { act, RequestError } from '../request.ts'
import { route } from '../route.ts'
import { language } from '../words/language.ts'

/**
 * The bot speaks the language of the page: the person's own is set to it when either changes here. Never in
 * answer to a change from elsewhere: two tabs in two languages would go on for ever.
 */
export function followLanguage(): void {
  let reported = ''
  const report = (as: number, code: string) => {
    if (reported === `${as} ${code}`) return
    reported = `${as} ${code}`
    act('/people/:id', { language_code: code }, as).catch((error: unknown) => {
      // The next state of the stream asks for another try.
      reported = ''
      if (!(error instanceof RequestError)) throw error
    })
  }
  listen('state', ({ as, people }) => {
    const person = people.find(({ user }) => user.id === as)
    if (person !== undefined && person.user.language_code !== language.value) reported = ''
    else reported = `${as} ${language.value}`
    if (person !== undefined) report(as, language.value)
  })
  effect(() => {
    const code = language.value
    const { as } = route.peek()
    if (reported !== '' && as !== undefined) report(as, code)
  })
}
