import { isJsonObject } from '../../../platform/http/json.ts'
import { failed, passed, type Rule } from '../rule.ts'
import { type Scenes, VIDEO, VIDEO_PATH } from '../scenes/scenes.ts'
import { describeAnswer, type WireAnswer } from '../wire.ts'
import { inRoubles } from './money.ts'
import { isRefused, judgeRefusals } from './refusals.ts'

const PROMPT_CHARS_MAX = 5000

/** Rules about requests for clips. A wrong one costs nothing. */
export const VIDEO_REQUEST_RULES: readonly Rule[] = [
  {
    id: 'video-prompt',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a clip without prompt': ask(scenes, { prompt: undefined }),
        'with an empty one': ask(scenes, { prompt: '' }),
        'with one of 5001 characters': ask(scenes, { prompt: 'x'.repeat(PROMPT_CHARS_MAX + 1) }),
      }),
  },
  {
    id: 'video-duration',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a clip of 7 s': ask(scenes, { duration: 7 }),
        'of "5"': ask(scenes, { duration: '5' }),
      }),
  },
  {
    id: 'video-quality',
    needs: 'nothing',
    judge: (scenes) => judgeRefusals({ 'a clip of 480p': ask(scenes, { quality: '480p' }) }),
  },
  {
    id: 'video-1080p',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals(
        { 'a clip of 1080p and 10 s': ask(scenes, { quality: '1080p', duration: 10 }) },
        isRefused,
      ),
  },
  {
    id: 'video-image',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({ 'a clip of a picture at "here"': ask(scenes, { image_url: 'here' }) }),
  },
  {
    id: 'video-aspect-ratio',
    needs: 'nothing',
    judge: (scenes) =>
      judgeRefusals({
        'a clip without aspect_ratio': ask(scenes, { aspect_ratio: undefined }),
        'of 1:1': ask(scenes, { aspect_ratio: '1:1' }),
      }),
  },
  {
    id: 'video-422',
    needs: 'nothing',
    async judge({ wire, readBalance }) {
      const asked = 'a clip of nothing, between two looks at the balance'
      const before = await readBalance()
      const answer = await wire.ask({ method: 'POST', path: `/${VIDEO_PATH}`, body: {} })
      const after = await readBalance()
      if (answer.status !== 422) return failed(asked, describeAnswer(answer))
      if (before !== undefined && after !== undefined && before !== after) {
        return failed(asked, `422, and the balance moved by ${inRoubles(after - before)}`)
      }
      const detail = isJsonObject(answer.json) ? answer.json.detail : undefined
      if (!Array.isArray(detail)) return failed(asked, '422 whose detail is no list')
      return passed(asked, `422 with a list of ${detail.length}`)
    },
  },
]

function ask({ wire }: Pick<Scenes, 'wire'>, fields: object): () => Promise<WireAnswer> {
  const body = { ...VIDEO, ...fields }
  return () => wire.ask({ method: 'POST', path: `/${VIDEO_PATH}`, body })
}
