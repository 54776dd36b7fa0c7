import type { CallLog, RecordedCall } from '../checks/call-log.ts'
import { type ActiveFault, type createFaults, isRichMethod, toApiError } from '../checks/faults.ts'
import type { RateKind, Rates } from '../checks/rates.ts'
import type { StoredChat } from '../state.ts'
import { ApiError, type MethodAnswer, refusal, toEnvelope } from '../wire/envelope.ts'
import { type Params, without } from '../wire/params.ts'
import type { MethodDeps } from './method.ts'
import { findMethod } from './methods.ts'

interface DispatchDeps {
  methodDeps: MethodDeps
  rates: Rates
  callLog: CallLog
  faults: ReturnType<typeof createFaults>
  /** Reports the error of a call that should not have failed. */
  onTrouble: (error: unknown) => void
}

/** The outcome of a call: an answer, a page that is no JSON, or a cut connection. */
export type Reaction = MethodAnswer | ApiError | 'page' | 'cut'

export function createDispatch(deps: DispatchDeps) {
  const { methodDeps, rates, callLog, faults, onTrouble } = deps
  const { clock, closing } = methodDeps
  return { perform }

  async function perform(method: string, params: Params): Promise<Reaction> {
    const call = callLog.begin(method, params)
    const reaction = await react(call, params)
    if (reaction === 'cut') callLog.update(call, { status: 0 })
    else if (reaction === 'page') callLog.update(call, { status: 502 })
    else {
      const status = reaction instanceof ApiError ? reaction.code : 200
      callLog.update(call, { status, body: toEnvelope(reaction) })
    }
    return reaction
  }

  async function react(call: RecordedCall, params: Params): Promise<Reaction> {
    const met = faults.meet(call.method, call.params)
    try {
      return await (met ? misbehave(met, call, params) : carryOut(call, params))
    } catch (error) {
      if (closing.aborted) return 'cut'
      onTrouble(error)
      return refusal(500, 'Internal Server Error')
    }
  }

  async function misbehave(
    { fault, released }: ActiveFault,
    call: RecordedCall,
    params: Params,
  ): Promise<Reaction> {
    const { kind } = fault
    callLog.update(call, { fault: kind })
    const refused = toApiError(fault)
    if (refused) return refused
    if (kind === 'dropBefore') return 'cut'
    if (kind === 'html') return 'page'
    const isOld = kind === 'noRich'
    if (isOld && isRichMethod(call.method)) return refusal(404, 'method not found')
    if (kind === 'slow') await clock.sleep(fault.delayMs, closing)
    if (kind === 'hold') await released
    const outcome = await carryOut(call, isOld ? without(params, 'rich_message') : params)
    if (kind !== 'dropAfter' && kind !== 'holdAfter') return outcome
    callLog.update(call, { body: toEnvelope(outcome) })
    if (kind === 'dropAfter') return 'cut'
    await released
    return outcome
  }

  async function carryOut(call: RecordedCall, params: Params): Promise<MethodAnswer | ApiError> {
    closing.throwIfAborted()
    const method = findMethod(call.method)
    if (method === undefined) return refusal(404, 'method not found')
    try {
      return await method({ params, passFloodControl }, methodDeps)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }

    async function passFloodControl(kind: RateKind, chat: StoredChat): Promise<void> {
      const delayMs = rates.admit(kind, chat)
      if (delayMs === 0) return
      callLog.update(call, { heldMs: call.heldMs + delayMs })
      await clock.sleep(delayMs, closing)
    }
  }
}

export type Dispatch = ReturnType<typeof createDispatch>
