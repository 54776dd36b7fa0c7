/** A completion as the service writes it: two bytes, three bytes, four bytes to a character, then the final chunk. */
export const RECORDED_EVENTS = [
  chunk({ delta: { content: 'Привет' } }),
  chunk({ delta: { content: ', 世界 ' } }),
  chunk({ delta: { content: '👋🏽\n"ok"' } }),
  chunk({
    delta: {},
    finish_reason: 'stop',
    usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 },
    cost_rub: 0.0222,
    cost_coins: 0.0222,
  }),
  '[DONE]',
]

export const RECORDED_TEXT = 'Привет, 世界 👋🏽\n"ok"'

export const RECORDED_FINISH = {
  type: 'finish',
  requestId: 'req_1',
  model: 'alpha-large',
  finishReason: 'stop',
  usage: { promptTokens: 12, completionTokens: 34, totalTokens: 46 },
  costMicroRub: 22_200n,
}

/** The data of one chunk; fields that belong to the choice go there. */
export function chunk({
  delta,
  finish_reason = null,
  ...rest
}: {
  delta?: Record<string, unknown>
  finish_reason?: string | null
  [field: string]: unknown
}): string {
  return JSON.stringify({
    id: 'req_1',
    object: 'chat.completion.chunk',
    model: 'alpha-large',
    choices: [{ index: 0, ...(delta && { delta }), finish_reason }],
    ...rest,
  })
}

/** Events on the wire. */
export function toWire(events: readonly string[], lineEnd = '\n'): string {
  return events.map((data) => `data: ${data}${lineEnd}${lineEnd}`).join('')
}
