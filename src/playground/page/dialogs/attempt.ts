import { RequestError } from '../request.ts'
import { words } from '../words/language.ts'
import { toast } from './notices.ts'

/**
 * Does something and shows the person a refusal.
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

/** Describes an error to the person: the refusal, or, of an error that is none, that something failed. */
function describeProblem(error: unknown): string {
  const { problems } = words.value.shell
  if (error instanceof RequestError) {
    if (error.status === 0) return problems.offline
    return error.detail === '' ? problems.refused(error.status) : error.detail
  }
  // A fault of the page itself: the reader learns that much, the console shows where.
  console.error(error)
  return problems.broken
}
