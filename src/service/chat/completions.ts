import { InFlight } from '../../platform/in-flight.ts'
import { type LimitStanding, RequestRefusedError } from '../ledger/errors.ts'
import { ProviderError } from '../providers/provider.ts'
import type { ChatClient } from './chat-client.ts'
import { type CheckedChat, CompletionRun, type RunContext } from './run.ts'

/** The chat requests that are under way. However one ends, its hold ends before `run()` does, or once it can be stored. */
export class Completions {
  readonly #context: RunContext
  readonly #open = new InFlight<{ client: ChatClient; running: Promise<unknown> }>()
  #isStopping = false

  constructor(context: RunContext) {
    this.#context = context
  }

  /**
   * Takes the estimate and has the answer written, or returns the answer of the first request with the same key.
   * @throws Errors of `answer` once a refusal is true, {UnsureEndError} if that cannot be known in time.
   */
  async run<T>(
    chat: CheckedChat,
    answer: (run: CompletionRun) => Promise<T>,
    onStanding: (standing: LimitStanding) => void,
  ): Promise<T | object> {
    if (this.#isStopping) throw stoppingError()
    const { client } = chat
    client.signal.throwIfAborted()
    const run = new CompletionRun(chat, this.#context)
    const running = runToEnd(run, answer, onStanding)
    const remove = this.#open.add({ client, running })
    try {
      return await running
    } catch (error) {
      // A stop does not wait for this, which may take longer than the process lives.
      await run.refusable()
      throw error
    } finally {
      remove()
    }
  }

  /** Waits up to `timeoutMs` for the open requests, then breaks off the rest, by rule. Safe to repeat, with less time. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true
    const breakOff = () => {
      for (const { client } of this.#open.list()) client.abort(stoppingError())
    }
    const timer = setTimeout(breakOff, Math.max(0, timeoutMs))
    await Promise.allSettled(this.#open.list().map(({ running }) => running))
    clearTimeout(timer)
  }
}

async function runToEnd<T>(
  run: CompletionRun,
  answer: (run: CompletionRun) => Promise<T>,
  onStanding: (standing: LimitStanding) => void,
): Promise<T | object> {
  try {
    const held = await run.hold()
    if (held.answer !== undefined) return held.answer
    onStanding(held.standing)
    return await answer(run)
  } catch (error) {
    if (error instanceof RequestRefusedError && error.standing) onStanding(error.standing)
    throw error
  } finally {
    await run.giveUp()
  }
}

function stoppingError(): ProviderError {
  return new ProviderError('unavailable', 'The service is stopping.')
}
