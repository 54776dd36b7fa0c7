import { open, type Section, seen, unseen } from './sentence.ts'

/** The sentences about chats. */
export const CHAT_SECTIONS: readonly Section[] = [
  {
    title: 'Chat request',
    sentences: [
      seen('`model` is required, a string, one of the chat models', 'chat-model'),
      seen('`messages` is required, a list', 'chat-messages'),
      seen('it carries the whole conversation', 'billing-history'),
      seen('`max_tokens` is an integer', 'chat-max-tokens'),
      seen('`max_tokens` is what the output is estimated by', 'billing-hold-tokens'),
      seen('`stream: true` answers with `text/event-stream`', 'stream-type'),
      seen('without `stream` the answer is one JSON body', 'chat-plain'),
      seen('`role` and `content` of a message are strings', 'chat-message'),
      seen('`system` and `user` are roles', 'stream-type', 'chat-plain'),
      open('other roles, bounds and default of `max_tokens`, other fields'),
    ],
  },
  {
    title: 'Chat models',
    sentences: [
      seen('`GET /chats/models` lists the models with their prices', 'models-prices'),
      unseen(
        'seven models in three families, of 1M and 1.1M tokens of context',
        'the shape of the list is left open, so families and contexts may be told under any name, or not; what was seen is noted',
      ),
      unseen(
        'a context of 1M tokens is taken',
        'a prompt of a million tokens costs what nobody pays for a look',
      ),
      open('the shape of the list'),
    ],
  },
  {
    title: 'Chat response, plain',
    sentences: [
      seen(
        '`request_id`, `model`, `content`, `finish_reason`, `cost_rub`, `cost_coins`',
        'chat-fields',
      ),
      seen('`finish_reason` includes `stop`', 'finish-reason'),
      seen('`usage` has whole numbers of prompt, completion and total tokens', 'chat-usage'),
      seen('`cost_rub` is the final cost, after settlement', 'chat-cost'),
      seen('`cost_coins` has the same value', 'chat-cost-coins'),
    ],
  },
  {
    title: 'Chat stream',
    sentences: [
      seen(
        'a chunk has `id`, `object`, `model` and one choice with index, delta and reason',
        'stream-chunks',
      ),
      seen('an event is one line `data: <json>` and an empty line', 'stream-events'),
      seen('text is in `choices[0].delta.content`; the last chunk may have none', 'stream-deltas'),
      seen(
        'the last chunk carries `finish_reason`, `usage`, `cost_rub` and `cost_coins`',
        'stream-final',
      ),
      seen('`usage`, `cost_rub` and `cost_coins` are only in the last chunk', 'stream-final'),
      seen('the stream ends with `data: [DONE]`', 'stream-done'),
      seen(
        'an error after the start is an event `{error: {message}}`, with status 200',
        'stream-error',
      ),
      seen('the stream is closed after it', 'stream-error-end'),
      seen(
        'a provider that is not there before the first token is 502 or 503 with a JSON error, not SSE',
        'chat-502',
        'chat-503',
      ),
    ],
  },
  {
    title: 'Billing of chats',
    sentences: [
      seen('an estimate is taken before the provider is called', 'billing-hold'),
      unseen(
        'that it is taken before, not after, the provider is called',
        'what a service asks of its provider is seen by the provider alone; that it is taken before the first token is judged',
      ),
      seen('the output is estimated by `max_tokens`', 'billing-hold-tokens'),
      unseen(
        'the input is estimated by the volume of the text',
        'the estimate of the input has no unit that the document names',
      ),
      seen(
        'the actual cost is computed by the usage, at prices for 1 million tokens, input and output apart',
        'billing-prices',
      ),
      seen('the difference is returned', 'chat-cost'),
      seen('or charged additionally', 'billing-above-hold'),
      seen(
        '`cost_rub` is the final amount, streamed in the last chunk',
        'chat-cost',
        'stream-final',
      ),
      seen('at 502 and 503 the estimate is returned whole', 'billing-502', 'billing-503'),
      seen('when a stream breaks in the middle the estimate stays charged', 'billing-kept'),
      seen('each request is charged for all the messages sent', 'billing-history'),
      unseen(
        'the server keeps no conversation',
        'a model may say anything, so its answer proves nothing of what it was told',
      ),
    ],
  },
  {
    title: 'Errors of chats',
    sentences: [
      seen(
        '402, 422, 429, 502 and 503 are JSON `{detail: string}`',
        'chat-errors',
        'chat-502',
        'chat-503',
      ),
      seen('402: the balance is too small; nothing is charged', 'chat-402'),
      seen('422: the request is wrong; nothing is charged', 'chat-422'),
      seen('429: above 30 a minute; nothing is charged', 'limit-chats', 'chat-429'),
      seen('502: the provider rejected it', 'chat-502', 'billing-502'),
      seen('503: the provider is not there', 'chat-503', 'billing-503'),
      unseen(
        '503: the balance service is not there',
        'a part of the service that only its operator can stop; what is answered to the customer is that of the provider',
      ),
      open('the status of a wrong key at the chat endpoint'),
    ],
  },
]
