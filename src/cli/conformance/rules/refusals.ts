import { isJsonObject } from '../../../platform/http/json.ts'
import { describeAnswer, type WireAnswer } from '../answer.ts'
import { type Finding, failed, passed } from '../rule.ts'

/** Checks whether an answer is the right refusal. */
type IsRight = (answer: WireAnswer) => boolean

/** Checks for the status with which the interface refuses a wrong body. */
export const is422: IsRight = ({ status }) => status === 422

/** Checks for any status that blames the request, where the interface names none. */
export const isRefused: IsRight = ({ status }) => status >= 400 && status < 500 && status !== 429

/** The statuses of what fails at a provider. */
export const PROVIDER_STATUSES: readonly number[] = [502, 503]

/** Checks that a refusal gives its reason in one text. */
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
