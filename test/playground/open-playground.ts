import { Api } from 'grammy'
import { onTestFinished } from 'vitest'
import { createPlayground, type PlaygroundOptions } from '../../src/playground/playground.ts'

export interface RawAnswer {
  status: number
  headers: Headers
  body: {
    ok: boolean
    result?: unknown
    error_code?: number
    description?: string
    parameters?: Record<string, number>
  }
}

/** Opens a playground with Ann (id 5) in it, and closes it with the test. */
export async function openPlayground(options: PlaygroundOptions = {}) {
  const playground = createPlayground({ flood: 'off', ...options })
  const { apiRoot, pageUrl } = await playground.listen()
  onTestFinished(() => playground.close())
  playground.addUser({ id: 5, firstName: 'Ann' })
  const api = new Api(playground.token, { apiRoot })
  return { playground, apiRoot, pageUrl, api, call, refusalOf }

  /** Calls a method with a JSON body and returns everything that came back. */
  async function call(method: string, params: object = {}): Promise<RawAnswer> {
    const response = await fetch(`${apiRoot}/bot${playground.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    })
    const body = (await response.json()) as RawAnswer['body']
    return { status: response.status, headers: response.headers, body }
  }

  /** The description of a call that is refused, or `ok`. */
  async function refusalOf(method: string, params: object): Promise<string> {
    const { body } = await call(method, params)
    return body.ok ? 'ok' : (body.description ?? '')
  }
}
