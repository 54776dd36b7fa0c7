import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type Prices, toWireRub } from '../../contract/money.ts'
import type { Task } from '../../contract/tasks.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble, isOutcomeUnknown } from '../../platform/database/trouble.ts'
import { KINDS, type KnownRefusal } from '../generation/endpoints.ts'
import { toFileUrl } from '../generation/storage.ts'
import { pollTask } from '../generation/tasks.ts'
import { mayUseModel } from '../ledger/api-keys.ts'
import { LIMITS } from '../ledger/rate-window.ts'
import { inTransaction } from '../ledger/sql.ts'
import { chargeTask, findRepeatedTask, type TaskCharge, withdrawTask } from '../ledger/tasks.ts'
import type { HttpContext } from './context.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { Refusal, refuseFields } from './refusals.ts'

const CHARGE_WAIT_MS = 10_000
const TASK_ID_MAX = 2 ** 31 - 1

/** The creation endpoints, `GET /task/{task_id}`, and `GET /prices`, which the interface document does not have. */
export function taskRoutes(context: HttpContext): FastifyPluginAsync {
  const { pool, offers, publicRoot } = context
  return async (app) => {
    for (const { path } of KINDS) {
      app.post(`/${path}`, async (request) => ({
        task_id: await create(context, path, request),
      }))
    }
    app.get<{ Params: { task_id: string } }>(
      '/task/:task_id',
      async ({ params, account }): Promise<Task> => {
        // Any id may be asked for, as often as one likes: an id that is no number is unknown like any other.
        const taskId = /^\d{1,10}$/.test(params.task_id) ? Number(params.task_id) : 0
        const isPossible = taskId > 0 && taskId <= TASK_ID_MAX
        const task = isPossible
          ? await pollTask(pool, { taskId, accountId: account.id })
          : undefined
        if (task === undefined) throw new Refusal('no_task')
        const { status, files, errorCode, errorMessage } = task
        const urls = files.map((name) => toFileUrl(publicRoot(), name))
        return {
          status,
          result_urls: status === 'success' ? urls : null,
          error: status === 'fail' ? { code: errorCode ?? 500, message: errorMessage ?? '' } : null,
        }
      },
    )
    app.get('/prices', async ({ account }): Promise<Prices> => {
      const allowed = offers.endpoints().filter(({ model }) => mayUseModel(account, model))
      const prices = allowed.flatMap(({ pricesMicroRub }) => [...pricesMicroRub])
      const inRub = prices.map(([label, microRub]) => [label, toWireRub(microRub)])
      return { prices_rub: Object.fromEntries(inRub) }
    })
  }
}

/** Checks a creation and charges its price. A refusal and a repeat with the same `Idempotency-Key` cost nothing. */
async function create(
  context: HttpContext,
  path: string,
  request: FastifyRequest,
): Promise<number> {
  const endpoint = context.offers.findOffered(path)
  if (endpoint === undefined) throw new Refusal('no_path')
  const idempotencyKey = readIdempotencyKey(request)
  // A header that came twice is one text with a comma, which is no URL.
  const callbackUrl = request.headers['x-callback-url']?.toString()
  const msg =
    callbackUrl === undefined ? undefined : await context.callbacks.findProblem(callbackUrl)
  if (msg !== undefined) throw refuseFields([{ loc: ['header', 'X-Callback-Url'], msg }])
  const priced = endpoint.read(request.body)
  if (Array.isArray(priced)) throw refuseFields(priced)
  if (!mayUseModel(request.account, endpoint.model)) {
    throw refuseFields([{ loc: ['body'], msg: `"${priced.label}" is not on offer` }])
  }
  const charge = {
    accountId: request.account.id,
    keyId: request.account.keyId,
    limit: LIMITS[endpoint.media],
    model: endpoint.model,
    amountMicroRub: priced.priceMicroRub,
    endpoint: path,
    params: priced.params,
    label: priced.label,
    idempotencyKey,
    reference: randomUUID(),
    callbackUrl: endpoint.deliversCallbacks ? callbackUrl : undefined,
  }
  const refusal = endpoint.findRefusal() ?? (await context.findShortage())
  if (refusal !== undefined) {
    // A task that was created before its provider went away remains the caller's.
    const taskId = await findRepeatedTask(context.pool, charge)
    if (taskId === undefined) throw toRefusal(refusal)
    return taskId
  }
  return await chargeOnce(context, charge, request)
}

function toRefusal({ code: status, message: detail, retryAfterMs }: KnownRefusal): Refusal {
  return new Refusal(status === 503 ? 'unavailable' : 'rejected', { status, detail, retryAfterMs })
}

/** Charges again if the answer was lost. In doubt the charge is withdrawn, unless the customer's key finds the task. */
async function chargeOnce(
  { pool, clock, unsettled, instance }: HttpContext,
  charge: TaskCharge & { reference: string },
  { log }: FastifyRequest,
): Promise<number> {
  const attempt = () => chargeTask(pool, charge)
  const withdraw = async () => {
    await inTransaction(pool, (sql) => withdrawTask(sql, charge, instance.id))
    return true
  }
  try {
    return await attempt()
  } catch (error) {
    if (!isDatabaseTrouble(error) || !isOutcomeUnknown(error)) throw error
  }
  try {
    return await retryUntilStored(attempt, { clock, waitMs: CHARGE_WAIT_MS })
  } catch (error) {
    const isInDoubt = isDatabaseTrouble(error) && charge.idempotencyKey === undefined
    if (isInDoubt) await unsettled.storeFirst(withdraw, { log })
    throw error
  }
}
