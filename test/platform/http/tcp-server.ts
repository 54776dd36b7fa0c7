import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { findFreePort } from './free-port.ts'

/** A server that does with each connection what the test says, below HTTP. It goes away with the test. */
export async function startTcpServer(take: (socket: Socket) => void = () => {}) {
  const reached = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    take(socket)
    reached.resolve()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, reached: reached.promise }
}

/** An address of this machine that refuses connections. */
export async function findClosedAddress(): Promise<string> {
  return `127.0.0.1:${await findFreePort()}`
}
