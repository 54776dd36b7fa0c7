import type { Actions, RefusalAnswer } from '../../web/api.ts'
import { route } from './route.ts'

const ROOT = 'playground'

/** A request was refused, or did not reach the server. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** 0 if the server was not reached. */
  readonly status: number
  readonly detail: string

  constructor(status: number, detail: string) {
    super(`Cannot finish request: ${status === 0 ? 'no connection' : status}`)
    this.status = status
    this.detail = detail
  }
}

/**
 * Performs an action as the person that the page is open as.
 *
 * @param id Value of `:id` in the path.
 * @throws {RequestError} If it was refused or did not reach the server.
 */
export async function act<P extends keyof Actions>(
  path: P,
  body: Omit<Actions[P]['body'], 'user_id'>,
  id?: number | undefined,
): Promise<Actions[P]['answer']> {
  const response = await ask(path.replace(':id', String(id ?? '')), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: route.value.as, ...body }),
  })
  return (await response.json()) as Actions[P]['answer']
}

/**
 * Sends any request to the playground's own routes.
 *
 * @throws {RequestError} If it was refused or did not reach the server. An abort throws as `fetch` does.
 */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(ROOT + path, { cache: 'no-store', ...init }).catch((error) => {
    if (init.signal?.aborted) throw error
    throw new RequestError(0, '')
  })
  if (response.ok) return response
  throw new RequestError(response.status, await readDetail(response))
}

/** Reads why a request was refused; a proxy before the server may answer without JSON. */
async function readDetail(response: Response): Promise<string> {
  try {
    const { detail = '' } = (await response.json()) as Partial<RefusalAnswer>
    return detail
  } catch {
    return ''
  }
}

export function fileUrl(fileId: string): string {
  return `${ROOT}/files/${encodeURIComponent(fileId)}`
}
