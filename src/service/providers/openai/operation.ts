import { type Static, Type } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'
import type { Answer } from '../../../platform/http/exchange.ts'
import type {
  GenerationProvider,
  GenerationResult,
  GenerationState,
  GenerationStep,
} from '../provider.ts'
import { createProviderHttp, type ProviderAccess } from '../provider-http.ts'
import { CUT_OFF, DAMAGED, SubmissionPhase, submit, toUnspeakable } from '../submission.ts'

/** The answer comes when the work is done. Shorter than a visit waits for one `check()`. */
const ANSWER_MS_MAX = 170_000

const OpenAiOperation = Type.Object({
  phase: SubmissionPhase,
  body: Type.Record(Type.String(), Type.Unknown()),
  url: Type.Optional(Type.String()),
})
const isOpenAiOperation = createGuard(OpenAiOperation)
type OpenAiOperation = Static<typeof OpenAiOperation>

export interface OpenAiOperationOptions<Params> extends ProviderAccess {
  path: string
  toBody(params: Params): Record<string, unknown>
  readResult(answer: Answer): GenerationResult | undefined
}

/**
 * Does a task's work within one request. A repeat would be paid again and the provider has no answer about
 * earlier requests, so a request that was cut off, also by the end of this process, fails its task.
 */
export function createOpenAiOperation<Params>({
  baseUrl,
  apiKey,
  proxies,
  path,
  toBody,
  readResult,
}: OpenAiOperationOptions<Params>): GenerationProvider<Params> {
  const send = createProviderHttp({ baseUrl, apiKey, proxies })
  return { start, check }

  async function start(params: Params): Promise<OpenAiOperation> {
    return { phase: 'unsent', body: toBody(params) }
  }

  async function check(stored: unknown, step: GenerationStep): Promise<GenerationState> {
    if (!isOpenAiOperation(stored)) return DAMAGED
    switch (stored.phase) {
      case 'unsent':
        return await work(stored, step)
      case 'sent':
        return CUT_OFF
      case 'begun':
        return stored.url === undefined ? DAMAGED : toSuccess({ type: 'url', url: stored.url })
    }
  }

  async function work(operation: OpenAiOperation, step: GenerationStep): Promise<GenerationState> {
    const { body } = operation
    const { save, signal } = step
    const submission = await submit(operation, {
      step,
      unspeakable: toUnspeakable({ apiKey }, body.prompt, body.input),
      send: () => send({ method: 'POST', path, body, headersMs: ANSWER_MS_MAX, signal }),
    })
    if ('state' in submission) return submission.state
    const result = readResult(submission.answer)
    if (result === undefined) return { status: 'success', results: [] }
    // A link can be copied again later; bytes are here only now.
    if (result.type === 'url') await save({ ...operation, phase: 'begun', url: result.url })
    return toSuccess(result)
  }
}

function toSuccess(result: GenerationResult): GenerationState {
  return { status: 'success', results: [result] }
}
