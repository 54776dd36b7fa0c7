import type { FastifyReply } from 'fastify'
import { ChatClient } from '../chat/chat-client.ts'

/** The status that proxies log for a request whose client left before an answer. */
export const CLIENT_GONE = 499

/** @returns The client that waits for the answer; it leaves when its connection closes too early. */
export function watchClient({ raw }: FastifyReply): ChatClient {
  const client = new ChatClient()
  raw.once('close', () => {
    // A client that leaves after the last byte has had everything.
    if (!raw.writableFinished) client.leave()
  })
  if (raw.destroyed) client.leave()
  return client
}
