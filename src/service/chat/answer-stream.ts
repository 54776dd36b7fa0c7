import { ProviderError } from '../providers/provider.ts'
import type { Completion } from './completions.ts'
import { createWireEvents } from './wire.ts'

/** Where a stream is written to. No method throws: a client that has left is told of by the abort. */
export interface EventSink {
  /** Sends the headers. Until then the answer may still be a plain refusal. */
  open(): void
  /** Sends the events. @returns What to wait for before the next ones, if the client reads slowly. */
  write(events: string): Promise<void> | undefined
  /** Sends the last events and waits until they are on their way, or the client is gone. */
  end(events: string): Promise<void>
}

/**
 * Passes each delta on as it comes. The headers wait for the first delta, and the end of the stream
 * for the settlement.
 *
 * @throws Only before anything was sent. A failure after that is the stream's last event.
 */
export async function answerStream(
  completion: Completion,
  sink: EventSink,
  onError: (error: unknown) => void,
): Promise<void> {
  const wire = createWireEvents({ id: completion.requestId, model: completion.modelId })
  let content = ''
  let isOpen = false
  try {
    for await (const event of completion.events()) {
      if (event.type === 'finish') {
        const cost = await completion.settle(event, content)
        if (!isOpen) sink.open()
        await sink.end(wire.end(event.finishReason, cost))
        return
      }
      if (!isOpen) {
        await completion.markFirstOutput()
        sink.open()
        isOpen = true
      }
      content += event.text
      const blocked = sink.write(wire.delta(event.text))
      if (blocked !== undefined) await blocked
    }
  } catch (error) {
    if (!isOpen) throw error
    onError(error)
    await completion.giveUp()
    await sink.end(wire.error(toMessage(error)))
  }
}

/** Only a provider's messages are meant for callers. */
function toMessage(error: unknown): string {
  return error instanceof ProviderError ? error.message : 'The service could not finish the answer.'
}
