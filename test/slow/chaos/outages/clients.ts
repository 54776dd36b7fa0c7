/** One client's request, and what it read. */
export interface ClientAnswer {
  status: number
  costRub: number | null
  waitMs: number
  /** By the monotonic clock. */
  endedAtMs: number
}

/**
 * Clients of the service that are not the bot: each asks once.
 *
 * @param model The model that they ask.
 */
export function createClients(baseUrl: string, apiKey: string, model = 'alpha') {
  const answers: Promise<ClientAnswer>[] = []
  return { answers, ask, readBalance }

  function ask(text: string, stream: boolean): void {
    answers.push(
      request('/chats/completions', {
        model,
        stream,
        messages: [{ role: 'user', content: text }],
      }),
    )
  }

  function readBalance(): Promise<ClientAnswer> {
    return request('/balance')
  }

  async function request(path: string, body?: object): Promise<ClientAnswer> {
    const beganMs = performance.now()
    const response = await fetch(`${baseUrl}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    })
    const text = await response.text()
    const cost = /"cost_rub":([\d.e-]+)/.exec(text)?.[1]
    const endedAtMs = performance.now()
    return {
      status: response.status,
      costRub: cost === undefined ? null : Number(cost),
      waitMs: endedAtMs - beganMs,
      endedAtMs,
    }
  }
}
