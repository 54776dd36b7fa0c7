import { isJsonObject } from '../../../platform/http/json.ts'
import { type Finding, failed, passed } from '../rule.ts'
import { describeAnswer, type WireAnswer } from '../wire.ts'

/** Whether an answer is what is asked of a refusal. */
type IsRight = (answer: WireAnswer) => boolean

/** What the interface answers a wrong body with. */
const is422: IsRight = ({ status }) => status === 422

/** Where the interface does not name the status, any that blames the request. */
export const isRefused: IsRight = ({ status }) => status >= 400 && status < 500 && status !== 429

/** A refusal of a chat says why in one text. */
export const hasDetailText: IsRight = ({ json }) =>
  isJsonObject(json) && typeof json.detail === 'string'

/** Judges what became of requests that are wrong, each for a reason of its own. */
export async function judgeRefusals(
  cases: Readonly<Record<string, () => Promise<WireAnswer>>>,
  isRight: IsRight = is422,
): Promise<Finding> {
  const asked = Object.keys(cases).join('; ')
  const statuses = new Set<number>()
  for (const [name, ask] of Object.entries(cases)) {
    const answer = await ask()
    if (!isRight(answer)) return failed(asked, `${name}: ${describeAnswer(answer)}`)
    statuses.add(answer.status)
  }
  return passed(asked, [...statuses].join(', '))
}
