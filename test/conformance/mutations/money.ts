import { type Mutation, mutation } from './mutation.ts'

const END = 'src/service/ledger/end-hold.ts'
const HOLDS = 'src/service/chat/hold-ends.ts'
const COMPLETION = 'src/service/chat/completion.ts'
const COST = `cost: \`\${costMicroRub}\`,`
const KEEP = '(sql) => keep(sql, requestId, reason, toUpstreamCost(upstream, held.usage)),'
const CAUGHT =
  'isGivenUp = error instanceof ClientGoneError || (client.hasLeft && isTimeOut(error))'
const WATCH = 'watchRequestEnds(app, metrics.requestEnded)'
const DEMO = 'src/service/providers/demo/chat.ts'

/** Faults of what a chat costs. */
export const MONEY_MUTATIONS: readonly Mutation[] = [
  mutation('chats-free', 'chats are never charged', END, COST, `cost: '0',`),
  mutation(
    'chats-twice',
    'a chat is charged twice what it tells',
    END,
    COST,
    `cost: \`\${2n * costMicroRub}\`,`,
  ),
  mutation(
    'chats-estimated',
    'the estimate stays charged after a whole answer',
    END,
    COST,
    'cost: undefined,',
  ),
  mutation(
    'kept-after-502',
    'the estimate stays charged after 502',
    COMPLETION,
    CAUGHT,
    `ended = error instanceof ProviderError && error.code === 'rejected'`,
  ),
  mutation(
    'kept-after-503',
    'the estimate stays charged after 503',
    COMPLETION,
    CAUGHT,
    `ended = error instanceof ProviderError && error.code === 'unavailable'`,
  ),
  mutation(
    'broken-returned',
    'the estimate of a broken stream is given back',
    COMPLETION,
    `if (outputIsOut) await ends.keepIt(hasLeft ? 'left' : 'broken', upstream)`,
    `if (outputIsOut) await ends.releaseIt('failed')`,
  ),
  mutation(
    'broken-twice',
    'a broken stream is charged twice its estimate',
    HOLDS,
    KEEP,
    '(sql) => settle(sql, { requestId, usage: held.usage, costMicroRub: 2n * held.costMicroRub }),',
  ),
  mutation(
    'hold-without-max-tokens',
    'the estimate ignores max_tokens',
    'src/service/chat/completions.ts',
    'completionTokens: maxTokens + model.thinkingTokens,',
    'completionTokens: 100,',
  ),
  mutation(
    'no-hold',
    'nothing is taken before the answer',
    'src/service/chat/completions.ts',
    'amountMicroRub: held.costMicroRub,',
    'amountMicroRub: 0n,',
  ),
  mutation(
    'at-most-the-hold',
    'an answer that costs more than its estimate is not charged additionally',
    'src/service/ledger/batch/run-batch.ts',
    'cost_micro_rub = COALESCE(operation.cost, amount_micro_rub),',
    'cost_micro_rub = LEAST(operation.cost, amount_micro_rub),',
  ),
  mutation(
    'history-free',
    'only the last message is charged',
    DEMO,
    'promptTokens: estimatePromptTokens(messages),',
    'promptTokens: estimatePromptTokens(messages.slice(-1)),',
  ),
  mutation(
    'input-at-output-price',
    'input tokens cost what output tokens do',
    'src/service/ledger/price-tokens.ts',
    'BigInt(promptTokens) * promptMicroRubPer1m +',
    'BigInt(promptTokens) * completionMicroRubPer1m +',
  ),
  mutation(
    'no-402',
    'a chat is answered that the balance does not reach for',
    'src/service/ledger/batch/run-batch.ts',
    `ELSE step.state = 'open' AND step.balance_now >= movement.amount`,
    `ELSE step.state = 'open'`,
  ),
  chargesRefused('422-charged', 'a chat that is refused with 422 is charged', 422, '/chats/'),
  chargesRefused('clip-422-charged', 'a clip that is refused with 422 is charged', 422, '/videos/'),
  chargesRefused('429-charged', 'a chat that is refused with 429 is charged', 429, '/chats/'),
  chargesRefused('402-charged', 'a chat that is refused with 402 is charged', 402, '/chats/'),
]

/** Has a hundredth of a rouble taken for a refusal. */
function chargesRefused(name: string, breaks: string, status: number, path: string): Mutation {
  const charge = `sql.query('UPDATE service.account SET balance_micro_rub = balance_micro_rub - 10000 WHERE id = $1', [request.account?.id])`
  const hook = `app.addHook('onSend', async (request, reply) => {
        if (reply.statusCode === ${status} && request.url.includes('${path}')) await ${charge}
      })`
  return mutation(name, breaks, 'src/service/service.ts', WATCH, `${WATCH}\n      ${hook}`)
}
