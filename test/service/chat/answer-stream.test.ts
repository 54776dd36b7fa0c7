import { expect, test } from 'vitest'
import { answerStream, type EventSink } from '../../../src/service/chat/answer-stream.ts'
import type { Completion } from '../../../src/service/chat/completion.ts'
import { createInterfaceWire } from '../../../src/service/chat/wire/interface-wire.ts'

test('answerStream() takes no delta while the client is behind, and goes on when it has caught up', async () => {
  const taken: string[] = []
  const caughtUp = Promise.withResolvers<void>()
  const isBehind = Promise.withResolvers<void>()
  const sink = fakeSink((events) => {
    if (!events.includes('"two"')) return undefined
    isBehind.resolve()
    return caughtUp.promise
  })

  const answered = answer(fakeCompletion(['one', 'two', 'three'], taken), sink)
  await isBehind.promise
  const takenWhileBehind = [...taken]
  caughtUp.resolve()
  await answered

  expect(takenWhileBehind).toEqual(['one', 'two'])
  expect(taken).toEqual(['one', 'two', 'three'])
})

test('answerStream() records output before it opens, and settles before it writes the end', async () => {
  const steps: string[] = []
  const completion = fakeCompletion(['one'], [])
  completion.markFirstOutput = async () => void steps.push('mark')
  completion.settle = async () => {
    steps.push('settle')
    return { usage: { promptTokens: 1, completionTokens: 1 }, costMicroRub: 1n }
  }
  const sink: EventSink = {
    open: () => void steps.push('open'),
    write: () => void steps.push('write'),
    end: async () => void steps.push('end'),
  }

  await answer(completion, sink)

  expect(steps).toEqual(['mark', 'open', 'write', 'settle', 'end'])
})

test('answerStream() ends with an error when the settlement cannot be written', async () => {
  const completion = fakeCompletion(['one'], [])
  completion.settle = async () => {
    throw new Error('the database is away')
  }
  const ends: string[] = []
  const sink = fakeSink(() => undefined, ends)

  await answer(completion, sink)

  expect(ends).toEqual([
    'data: {"error":{"message":"The service could not finish the answer."}}\n\n',
  ])
})

// Promise: The database is away while an answer begins or ends
test('answerStream() opens nothing where its first output could not be recorded, and throws why', async () => {
  const completion = fakeCompletion(['one'], [])
  completion.markFirstOutput = async () => {
    throw new Error('the connection failed')
  }
  const sent: string[] = []
  const sink = fakeSink(() => undefined, sent)
  sink.open = () => void sent.push('head')

  await expect(answer(completion, sink)).rejects.toThrow('the connection failed')

  expect(sent).toEqual([])
})

function answer(completion: Completion, sink: EventSink): Promise<void> {
  const wire = createInterfaceWire(completion)
  return answerStream(completion, { wire, sink, onError: () => {} })
}

function fakeCompletion(texts: string[], taken: string[]): Completion {
  return {
    requestId: 'request',
    modelId: 'alpha',
    async stream(take) {
      for (const text of texts) {
        taken.push(text)
        await take({ text })
      }
      return { finishReason: 'stop' }
    },
    markFirstOutput: async () => {},
    settle: async () => ({ usage: { promptTokens: 1, completionTokens: 1 }, costMicroRub: 1n }),
    plain: async () => expect.unreachable(),
    giveUp: async () => {},
    refusable: async () => {},
  }
}

function fakeSink(write: EventSink['write'], ends: string[] = []): EventSink {
  return { open: () => {}, write, end: async (events) => void ends.push(events) }
}
