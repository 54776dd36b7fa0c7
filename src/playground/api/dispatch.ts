import type { CallLog, RecordedCall } from '../checks/call-log.ts'
import { type ActiveFault, type createFaults, isRichMethod, toApiError } from '../checks/faults.ts'
import type { Lints } from '../checks/lints.ts'
import { ApiError, type MethodAnswer, refusal, toEnvelope } from '../wire/envelope.ts'
import { type Params, without } from '../wire/params.ts'
import type { MethodDeps } from './methods/method.ts'
import { findMethod } from './methods/table.ts'

export interface DispatchDeps {
  methodDeps: MethodDeps
  callLog: CallLog
  faults: ReturnType<typeof createFaults>
  lints: Lints
  /** Told of refused calls, without their texts. */
  log: (line: string) => void
}

/** What comes of a call: an answer, a page that is no JSON, or nothing at all. */
export type Reaction = MethodAnswer | ApiError | 'page' | 'cut'

/** Carries out calls, whichever way they came, through the faults that are set, and records them. */
export function createDispatch({ methodDeps, callLog, faults, lints, log }: DispatchDeps) {
  return { perform }

  async function perform(method: string, params: Params): Promise<Reaction> {
    const call = callLog.begin(method)
    callLog.note(call, { given: params })
    lints.onCall(call)
    const reaction = await react(call, params)
    if (reaction === 'cut') callLog.note(call, { status: 0 })
    else if (reaction === 'page') callLog.note(call, { status: 502 })
    else {
      const status = reaction instanceof ApiError ? reaction.code : 200
      callLog.note(call, { status, body: toEnvelope(reaction) })
      if (reaction instanceof ApiError) log(`${call.method}: ${status} ${reaction.message}`)
    }
    lints.onAnswer(call)
    return reaction
  }

  async function react(call: RecordedCall, params: Params): Promise<Reaction> {
    const met = faults.meet(call.method, call.params)
    try {
      if (met === undefined) return await carryOut(call, params)
      callLog.note(call, { fault: met.fault.kind })
      return await misbehave(met, call, params)
    } catch (error) {
      if (methodDeps.closing.aborted) return 'cut'
      log(`${call.method}: ${error instanceof Error ? error.stack : String(error)}`)
      return refusal(500, 'Internal Server Error')
    }
  }

  async function misbehave(
    met: ActiveFault,
    call: RecordedCall,
    params: Params,
  ): Promise<Reaction> {
    const { fault, released } = met
    switch (fault.kind) {
      case 'dropBefore':
        return 'cut'
      case 'dropAfter': {
        const outcome = await carryOut(call, params)
        callLog.note(call, { body: toEnvelope(outcome) })
        return 'cut'
      }
      case 'hold':
        await orClosing(released.promise)
        return carryOut(call, params)
      case 'holdAfter': {
        const outcome = await carryOut(call, params)
        callLog.note(call, { body: toEnvelope(outcome) })
        await orClosing(released.promise)
        return outcome
      }
      case 'slow':
        await methodDeps.clock.sleep(fault.delayMs, methodDeps.closing)
        return carryOut(call, params)
      case 'html':
        return 'page'
      case 'noRich':
        if (isRichMethod(call.method)) return refusal(404, 'method not found')
        return carryOut(call, without(params, 'rich_message'))
      default:
        return toApiError(fault) ?? carryOut(call, params)
    }
  }

  async function carryOut(call: RecordedCall, params: Params): Promise<MethodAnswer | ApiError> {
    const method = findMethod(call.method)
    if (method === undefined) return refusal(404, 'method not found')
    const hold = async (delayMs: number) => {
      callLog.note(call, { heldMs: call.heldMs + delayMs })
      await methodDeps.clock.sleep(delayMs, methodDeps.closing)
    }
    try {
      return await method({ params, hold }, methodDeps)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  async function orClosing(promise: Promise<void>): Promise<void> {
    const { closing } = methodDeps
    const ended = Promise.withResolvers<never>()
    const end = () => ended.reject(closing.reason)
    closing.addEventListener('abort', end, { once: true })
    if (closing.aborted) end()
    await Promise.race([promise, ended.promise]).finally(() =>
      closing.removeEventListener('abort', end),
    )
  }
}

export type Dispatch = ReturnType<typeof createDispatch>
