/**
 * Sends a request to the server of the page.
 *
 * @returns The answer, also one that refuses; undefined if the server was not reached. An abort throws as `fetch` does.
 */
export async function reach(address: string, init: RequestInit): Promise<Response | undefined> {
  return fetch(address, { cache: 'no-store', ...init }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    return undefined
  })
}

/** Reads the JSON of a refusal; empty if what stands before the server, such as a proxy, answered without any. */
export async function readRefusal<Refusal>(response: Response): Promise<Partial<Refusal>> {
  try {
    return (await response.json()) as Partial<Refusal>
  } catch {
    return {}
  }
}
