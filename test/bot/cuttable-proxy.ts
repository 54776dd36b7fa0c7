import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a local port that can be cut: what a killed process leaves is what had arrived by then. */
export interface CuttableProxy {
  port: number
  cut(): void
  /** Loses what comes over the connections that are there, and says nothing of it. New ones get through. */
  swallow(): void
}

export async function openCuttableProxy(targetPort: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      // One end that breaks takes the other with it.
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        sockets.delete(socket)
      })
    }
    near.on('data', (chunk) => silent.has(near) || far.write(chunk))
    far.on('data', (chunk) => silent.has(far) || near.write(chunk))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      for (const socket of sockets) silent.add(socket)
    },
    cut: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
