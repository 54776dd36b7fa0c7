import { RequestError } from '../talk/request.ts'
import { words } from '../words/language.ts'
import { toast } from './notices.ts'

/**
 * Does something and tells the person if it was refused.
 *
 * @returns Whether it was done.
 */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    toast(describeProblem(error), { isProblem: true })
    return false
  }
}

/** What to tell of an error; of one that is no refusal, that something failed. */
function describeProblem(error: unknown): string {
  const { problems } = words.value.shell
  if (error instanceof RequestError) {
    if (error.status === 0) return problems.offline
    return error.detail === '' ? problems.refused(error.status) : error.detail
  }
  // A fault of the page itself: the reader is told that much, the console tells where.
  console.error(error)
  return problems.broken
}
