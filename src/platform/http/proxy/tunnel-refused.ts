/** A proxy opened no tunnel, and says why. The message has nothing but what the proxy answered. */
export class TunnelRefusedError extends Error {
  override readonly name = 'TunnelRefusedError'
}
