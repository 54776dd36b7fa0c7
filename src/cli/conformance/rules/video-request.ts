import { isJsonObject } from '../../../platform/http/json.ts'
import { describeAnswer, type WireAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { failed, passed, type Rule } from '../rule.ts'
import type { Scenes } from '../scenes/scenes.ts'
import { VIDEO, VIDEO_PATH, WRONG_CLIPS } from '../scenes/wrong-clips.ts'
import { is422, isRefused } from './refusals.ts'

/** One field of a request for a clip that is wrong. */
interface WrongField {
  what: string
  /** The wrong clip that has it. */
  index: 0 | 1 | 2
  /** The field, and others of which the refusal may speak instead. */
  names: readonly string[]
  isRight?: (answer: WireAnswer) => boolean
}

/** Rules about requests for clips. A wrong one costs nothing. */
export const VIDEO_REQUEST_RULES: readonly Rule[] = [
  refusing('video-prompt', [
    { what: 'no prompt', index: 0, names: ['prompt'] },
    { what: 'an empty one', index: 1, names: ['prompt'] },
    { what: 'one of 5001 characters', index: 2, names: ['prompt'] },
  ]),
  refusing('video-duration', [
    { what: 'a clip of "5" s', index: 0, names: ['duration'] },
    { what: 'of 7 s', index: 1, names: ['duration'] },
  ]),
  refusing('video-quality', [{ what: 'a clip of 480p', index: 0, names: ['quality'] }]),
  refusing('video-1080p', [
    {
      what: 'a clip of 1080p and 10 s',
      index: 2,
      names: ['quality', 'duration'],
      // The interface does not name the status.
      isRight: isRefused,
    },
  ]),
  refusing('video-image', [{ what: 'a picture at "here"', index: 0, names: ['image_url'] }]),
  refusing('video-aspect-ratio', [
    { what: 'a clip of 1:1', index: 0, names: ['aspect_ratio'] },
    { what: 'without aspect_ratio', index: 1, names: ['aspect_ratio'] },
  ]),
  {
    id: 'video-422',
    needs: 'nothing',
    async judge({ wrongClips }) {
      const asked = 'clips with wrong fields, between two looks at the balance'
      const { answers, before, after } = await wrongClips()
      const other = answers.find(({ status }) => status !== 422)
      if (other !== undefined) return failed(asked, describeAnswer(other))
      if (before !== undefined && after !== undefined && before !== after) {
        return failed(asked, `422, and the balance moved by ${inRoubles(after - before)}`)
      }
      const lists = answers.map(({ json }) => (isJsonObject(json) ? json.detail : undefined))
      if (!lists.every(Array.isArray)) return failed(asked, '422 whose detail is no list')
      return passed(asked, `422 with lists of ${lists.map((list) => list.length).join(', ')}`)
    },
  },
]

function refusing(id: string, fields: readonly WrongField[]): Rule {
  return {
    id,
    needs: 'nothing',
    async judge(scenes) {
      const asked = fields.map(({ what }) => what).join('; ')
      const { answers } = await scenes.wrongClips()
      for (const field of fields) {
        const problem = await findProblem(field, answers, scenes)
        if (problem !== undefined) return failed(asked, problem)
      }
      return passed(asked, 'refused, by the name of each field')
    },
  }
}

/** Finds what is wrong with the refusal of a field. One that does not speak of it says nothing: then it is asked alone. */
async function findProblem(
  { what, index, names, isRight = is422 }: WrongField,
  answers: readonly WireAnswer[],
  { account }: Scenes,
): Promise<string | undefined> {
  const together = answers[index]
  if (together?.status === 422 && names.some((name) => together.text.includes(name)))
    return undefined
  const wrong: Record<string, unknown> = WRONG_CLIPS[index]
  const alone = Object.fromEntries(names.map((name) => [name, wrong[name]]))
  const body = { ...VIDEO, ...alone }
  const answer = await account.ask({ method: 'POST', path: `/${VIDEO_PATH}`, body })
  return isRight(answer) ? undefined : `${what}: ${describeAnswer(answer)}`
}
