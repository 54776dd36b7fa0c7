import { type Mutation, mutation } from './mutation.ts'

const WIRE = 'src/service/chat/wire/interface-wire.ts'
const STREAM = 'src/service/chat/answer-stream.ts'
const ERROR = 'return toEvent(event)'
const LAST = 'return toEvent(chunk) + toEvent(STREAM_DONE)'

/** Faults of the answers of chats, plain and streamed. */
export const CHAT_MUTATIONS: readonly Mutation[] = [
  mutation(
    'coins-differ',
    'cost_coins is not cost_rub',
    WIRE,
    'cost_coins: costRub }',
    'cost_coins: 100 * costRub }',
  ),
  mutation(
    'total-wrong',
    'total_tokens is not the sum',
    'src/service/chat/wire/chat-wire.ts',
    'total_tokens: promptTokens + completionTokens,',
    'total_tokens: completionTokens,',
  ),
  mutation(
    'bytes-after-error',
    'the stream goes on after its error event',
    WIRE,
    ERROR,
    `${ERROR} + toEvent(STREAM_DONE)`,
  ),
  mutation(
    'open-after-error',
    'the stream is not closed after its error event',
    STREAM,
    'await sink.end(wire.error(toMessage(error)))',
    'await sink.write(wire.error(toMessage(error)))',
  ),
  mutation(
    'refused-in-stream',
    'a provider that is not there before the first token is no plain 502 or 503',
    STREAM,
    'if (!isOpen) throw error',
    'if (!isOpen) sink.open()',
  ),
  mutation(
    'final-without-usage',
    'the final chunk has no usage',
    WIRE,
    `finish_reason: finishReason }],
      ...toWireCost(cost),`,
    `finish_reason: finishReason }],
      ...toWireCost(cost),
      usage: undefined,`,
  ),
  mutation(
    'usage-in-each-chunk',
    'every chunk has usage',
    WIRE,
    `'},"finish_reason":null}]}\\n\\n'`,
    `'},"finish_reason":null}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\\n\\n'`,
  ),
  mutation('no-done', 'the stream ends without [DONE]', WIRE, LAST, 'return toEvent(chunk)'),
  mutation(
    'two-data-lines',
    'an event has two lines of data',
    WIRE,
    `const beforeText = \`data: \${head}"content":\``,
    `const beforeText = \`data: \${head.replace(',"object"', ',\\ndata: "object"')}"content":\``,
  ),
  mutation(
    'stream-as-text',
    'a stream is no text/event-stream',
    'src/service/http/event-stream.ts',
    `'content-type': 'text/event-stream; charset=utf-8',`,
    `'content-type': 'text/plain; charset=utf-8',`,
  ),
]
