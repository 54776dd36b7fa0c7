import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a local port that can be cut: what a killed process leaves is what had arrived by then. */
export interface CuttableProxy {
  port: number
  cut(): void
  hold(): void
  mend(): void
  /** Loses what comes over the connections that are there, and says nothing of it. New ones get through. */
  swallow(): void
  /** The same for what the target answers: what is asked gets there. */
  swallowAnswers(): void
}

export async function openCuttableProxy(targetPort: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>()
  const answering = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isHolding = false
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    answering.add(far)
    for (const socket of [near, far]) {
      sockets.add(socket)
      // One end that breaks takes the other with it.
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        sockets.delete(socket)
        answering.delete(far)
      })
    }
    near.on('data', (chunk) => silent.has(near) || far.write(chunk))
    far.on('data', (chunk) => silent.has(far) || near.write(chunk))
    if (isHolding) for (const socket of [near, far]) socket.pause()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    swallow: () => {
      for (const socket of sockets) silent.add(socket)
    },
    swallowAnswers: () => {
      for (const socket of answering) silent.add(socket)
    },
    cut: () => {
      server.close()
      for (const socket of sockets) socket.resetAndDestroy()
    },
    hold: () => {
      isHolding = true
      for (const socket of sockets) socket.pause()
    },
    mend: () => {
      isHolding = false
      for (const socket of sockets) socket.resume()
      if (!server.listening) server.listen(port, '127.0.0.1')
    },
  }
}
