import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import {
  type CompletionRequest,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../../../src/contract/client/service-client.ts'
import { type ReceivedRequest, startServer } from '../../platform/http/local-server.ts'

export const REQUEST: CompletionRequest = {
  model: 'alpha-large',
  messages: [{ role: 'user', content: 'Привет' }],
  maxTokens: 100,
}

/** A server that answers as the test says, and a client of it that waits for nothing between attempts. */
export async function start(
  answer: (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>,
  options: Partial<ServiceClientOptions> = {},
) {
  const server = await startServer(answer)
  return {
    server,
    client: connect(server.baseUrl, { clock: { sleep: async () => {} }, ...options }),
  }
}

/** A client that closes with the test. */
function connect(baseUrl: string, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  const client = createServiceClient({ baseUrl, apiKey: 'key-of-the-account', ...options })
  onTestFinished(() => client.close())
  return client
}
