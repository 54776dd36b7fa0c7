import { readCallbackSecret, readModels } from '../../../contract/client/read-answers.ts'
import { describeAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { failed, notSeen, passed, type Rule } from '../rule.ts'

/** Rules about requests that read, and change nothing. */
export const READING_RULES: readonly Rule[] = [
  {
    id: 'models-prices',
    needs: 'nothing',
    async judge({ models }) {
      const asked = 'GET /chats/models'
      const answer = await models()
      if (answer.status !== 200) return failed(asked, describeAnswer(answer))
      const list = readModels(answer.json)
      if (list === undefined) return notSeen(asked, 'a list in a shape that is not known')
      if (list.length === 0) return failed(asked, 'no models')
      const priced = list.filter(
        ({ promptMicroRubPer1m, completionMicroRubPer1m }) =>
          promptMicroRubPer1m !== undefined && completionMicroRubPer1m !== undefined,
      )
      const seen = `${list.length} models, ${priced.length} with prices`
      return priced.length === list.length ? passed(asked, seen) : notSeen(asked, seen)
    },
  },
  {
    id: 'balance-read',
    needs: 'nothing',
    async judge({ wire, account }) {
      const asked = 'GET /balance, twice with other reading between'
      const [before, after] = await account.alone(async () => {
        const balance = await account.readBalance()
        await wire.ask({ method: 'GET', path: '/chats/models' })
        return [balance, await account.readBalance()]
      })
      if (before === undefined || after === undefined) {
        const last = wire.answers.findLast(({ ask }) => ask.path === '/balance')
        if (last?.status !== 200) return failed(asked, last ? describeAnswer(last) : 'no answer')
        return notSeen(asked, 'a balance in a shape that is not known')
      }
      if (before === after) return passed(asked, 'a balance, the same')
      return failed(asked, `reading moved it by ${inRoubles(after - before)}`)
    },
  },
  {
    id: 'secret-same',
    needs: 'nothing',
    async judge({ secrets }) {
      const asked = 'GET /callback/secret, twice'
      const [first, second] = await secrets()
      const refused = [first, second].find(({ status }) => status !== 200)
      if (refused !== undefined) return failed(asked, describeAnswer(refused))
      const [one, other] = [first, second].map(({ json }) => readCallbackSecret(json))
      if (one === undefined) return notSeen(asked, 'a secret in a shape that is not known')
      return one === other ? passed(asked, 'the same secret') : failed(asked, 'two secrets')
    },
  },
  {
    id: 'secret-own',
    needs: 'other key',
    async judge({ secrets, otherSecret }) {
      const asked = 'GET /callback/secret, by the keys of two accounts'
      const [one, other] = [(await secrets())[0], await otherSecret()].map(({ json }) =>
        readCallbackSecret(json),
      )
      if (one === undefined || other === undefined)
        return notSeen(asked, 'no secret that can be read')
      return one === other ? failed(asked, 'the same secret') : passed(asked, 'two secrets')
    },
  },
]
