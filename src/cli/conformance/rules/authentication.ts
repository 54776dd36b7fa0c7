import { type Ask, describeAnswer } from '../answer.ts'
import { judgeProblems, type Rule } from '../rule.ts'
import { VIDEO, VIDEO_PATH } from '../scenes/wrong-clips.ts'

const ENDPOINTS: readonly Ask[] = [
  { method: 'POST', path: '/chats/completions', body: {} },
  { method: 'GET', path: '/chats/models' },
  { method: 'POST', path: `/${VIDEO_PATH}`, body: VIDEO },
  { method: 'GET', path: '/task/1' },
  { method: 'GET', path: '/callback/secret' },
  { method: 'GET', path: '/balance' },
]

/** Rules about the keys that open the service. */
export const AUTHENTICATION_RULES: readonly Rule[] = [
  {
    id: 'auth-key',
    needs: 'nothing',
    async judge({ wire }) {
      const problems: string[] = []
      for (const apiKey of [undefined, 'kpk_no_such_key']) {
        for (const endpoint of ENDPOINTS) {
          const answer = await wire.ask({ ...endpoint, apiKey })
          // The interface names the status for the video endpoint; elsewhere it says that a key is needed.
          const isStated = endpoint.path === `/${VIDEO_PATH}`
          const isRight = isStated ? answer.status === 401 : isRefused(answer.status)
          if (isRight) continue
          const key = apiKey === undefined ? 'no key' : 'a wrong key'
          problems.push(`${endpoint.path} with ${key}: ${describeAnswer(answer)}`)
        }
      }
      const asked = 'every endpoint without a key and with a wrong one'
      return judgeProblems(asked, problems, `refused; /${VIDEO_PATH} with 401`)
    },
  },
]

function isRefused(status: number): boolean {
  return status >= 400 && status < 500
}
