import { isJsonObject } from '../../../platform/http/json.ts'
import type { WireAnswer } from '../answer.ts'
import { failed, judgeProblems, passed, type Rule } from '../rule.ts'

/** Rules about the end of the base URL and about the form of bodies. */
export const BODY_RULES: readonly Rule[] = [
  {
    id: 'base-version',
    needs: 'nothing',
    async judge({ baseUrl, models }) {
      const asked = 'GET /chats/models below the base URL'
      const { status } = await models()
      const isVersioned = new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith('/api/v1')
      if (!isVersioned) return failed(asked, 'the base URL does not end in /api/v1')
      return status === 404 ? failed(asked, '404') : passed(asked, String(status))
    },
  },
]

/** Rules that are judged last, over every answer of the run. */
export const ALL_BODIES_RULES: readonly Rule[] = [
  {
    id: 'bodies-json',
    needs: 'nothing',
    isOverAll: true,
    async judge({ wire }) {
      const seen = `${wire.answers.length} answers`
      return judgeProblems('everything', wire.answers.map(findBodyProblem), seen)
    },
  },
]

function findBodyProblem({ ask, status, contentType, json }: WireAnswer): string | undefined {
  const { method, path, body } = ask
  const isStream = isJsonObject(body) && body.stream === true && status === 200
  if (isStream) return undefined
  const where = `${method} ${path} answered with`
  if (!contentType.startsWith('application/json')) return `${where} ${contentType || 'no type'}`
  return json === undefined ? `${where} what is no JSON` : undefined
}
