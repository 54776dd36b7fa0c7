import { type AnswerPiece, ProviderError } from '../providers/provider.ts'
import type { CompletionRun } from './run.ts'
import type { ChatWire } from './wire/chat-wire.ts'

/** The connection that a stream is written to. No method throws: a client that has left aborts the request. */
export interface EventSink {
  /** Sends the headers. Before that the answer may become a plain refusal. */
  open(): void
  /** Sends the events. @returns A promise to await before the next ones, if the client reads slowly. */
  write(events: string): Promise<void> | undefined
  end(events: string): Promise<void>
}

export interface StreamAnswerDeps {
  wire: Omit<ChatWire, 'plain'>
  sink: EventSink
  onError: (error: unknown) => void
}

/**
 * Passes each delta on as it comes. The headers wait for the first delta, and the end of the stream
 * for the settlement.
 *
 * @throws Only before anything was sent. A failure after that is the stream's last event.
 */
export async function answerStream(
  run: CompletionRun,
  { wire, sink, onError }: StreamAnswerDeps,
): Promise<void> {
  let isOpen = false
  try {
    const finish = await run.stream((delta) =>
      isOpen ? sink.write(wire.delta(delta)) : begin(delta),
    )
    const cost = await run.settle(finish)
    if (!isOpen) sink.open()
    await sink.end(wire.end(finish.finishReason, cost))
  } catch (error) {
    if (!isOpen) throw error
    onError(error)
    await run.giveUp()
    await sink.end(wire.error(toMessage(error)))
  }

  async function begin(delta: AnswerPiece): Promise<void> {
    await run.markOutput()
    sink.open()
    isOpen = true
    await sink.write(wire.delta(delta))
  }
}

/** Only a provider's messages are meant for callers. */
function toMessage(error: unknown): string {
  return error instanceof ProviderError ? error.message : 'The service could not finish the answer.'
}
