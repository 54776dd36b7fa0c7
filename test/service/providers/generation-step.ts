import type { ServerResponse } from 'node:http'
import type { GenerationStep, ProviderOperation } from '../../../src/service/providers/provider.ts'
import type { ReceivedRequest } from '../../platform/http/local-server.ts'

/** A step that keeps in mind what was saved, as the task's row would. */
export function createStep(signal: AbortSignal = new AbortController().signal) {
  const saved: ProviderOperation[] = []
  return {
    signal,
    saved,
    async save(operation: ProviderOperation) {
      saved.push(structuredClone(operation))
    },
  } satisfies GenerationStep & { saved: ProviderOperation[] }
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void

/** An answer of a provider in JSON. */
export function answers(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}
