import {
  findTarget,
  type RefusedUrl,
  type Target,
  type UrlGuard,
} from '../../platform/http/find-target.ts'

/** Longest callback URL, in characters (interface document, Limits). */
const CALLBACK_URL_CHARS_MAX = 500

/** Finds where a callback may go. It is asked when a task is created and again at each attempt. */
export async function findCallbackTarget(
  text: string,
  guard: UrlGuard,
): Promise<Target | RefusedUrl> {
  if (text.length <= CALLBACK_URL_CHARS_MAX) return await findTarget(text, guard)
  const problem = `must not be longer than ${CALLBACK_URL_CHARS_MAX} characters`
  return { refusal: 'bad_url', problem, isLasting: true }
}
