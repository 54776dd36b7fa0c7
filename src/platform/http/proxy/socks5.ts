// undici's own agent for SOCKS5 is experimental (8.12, socks5-proxy-agent.js): it waits for its time-out where a proxy
// closes the connection instead of answering, and sends an IPv6 address as a name. Nor does it hand out the connection,
// which the calls of grammY's client need.
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { ProxyAddress, TunnelTarget } from './proxy-address.ts'
import { TunnelRefusedError } from './tunnel-refused.ts'

const VERSION = 5
const LOGIN_VERSION = 1
const NO_LOGIN = 0
const LOGIN = 2
const CONNECT = 1
const TEXT_BYTES_MAX = 255

/** The kinds of addresses, by the number that each has on the wire. */
const ADDRESS_KINDS = { ipv4: 1, name: 3, ipv6: 4 } as const
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 }
const PORT_BYTES = 2

/** What a proxy says by each number. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: 'failed',
  2: 'does not allow the connection',
  3: 'does not reach the network',
  4: 'does not reach the host',
  5: 'was refused the connection',
  6: 'did not reach the host in time',
  7: 'opens no connections',
  8: 'takes no address of this kind',
}

/**
 * Asks a SOCKS5 proxy, over a connection to it, for one to a target: from there on it is that.
 *
 * @throws {TunnelRefusedError} If the proxy refuses, speaks something else or closes the connection.
 * @see https://www.rfc-editor.org/rfc/rfc1928 and https://www.rfc-editor.org/rfc/rfc1929
 */
export async function askSocks(
  socket: Socket,
  { credentials, target }: { target: TunnelTarget } & Pick<ProxyAddress, 'credentials'>,
): Promise<void> {
  const reader = createReader(socket)
  const methods = credentials === undefined ? [NO_LOGIN] : [NO_LOGIN, LOGIN]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method] = await reader.read(2)
  if (version !== VERSION) throw new TunnelRefusedError('is no SOCKS5 proxy')
  if (method === LOGIN && credentials !== undefined) {
    socket.write(toLogin(credentials))
    const [, status] = await reader.read(2)
    if (status !== 0) throw new TunnelRefusedError('refuses the user and the password')
  } else if (method !== NO_LOGIN) throw new TunnelRefusedError('wants a user and a password')
  socket.write(toRequest(target))
  await readReply(reader)
  reader.stop()
}

/** Reads the answer to the request, with the address in it, which is of no interest. */
async function readReply({ read }: Reader): Promise<void> {
  const [version, status = 0, , kind] = await read(4)
  if (version !== VERSION) throw new TunnelRefusedError('is no SOCKS5 proxy')
  if (status !== 0) throw new TunnelRefusedError(REFUSALS[status] ?? `answered ${status}`)
  const isName = kind === ADDRESS_KINDS.name
  const bytes = isName ? (await read(1))[0] : ADDRESS_BYTES[kind ?? 0]
  if (bytes === undefined) throw new TunnelRefusedError('is no SOCKS5 proxy')
  await read(bytes + PORT_BYTES)
}

function toLogin({ user, password }: NonNullable<ProxyAddress['credentials']>): Buffer {
  return Buffer.concat([Buffer.from([LOGIN_VERSION]), toTextBytes(user), toTextBytes(password)])
}

function toRequest(target: TunnelTarget): Buffer {
  const port = Buffer.alloc(PORT_BYTES)
  port.writeUInt16BE(target.port)
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), toAddressBytes(target), port])
}

function toAddressBytes({ host }: TunnelTarget): Buffer {
  if (isIP(host) === 0) {
    return Buffer.concat([Buffer.from([ADDRESS_KINDS.name]), toTextBytes(host)])
  }
  const address = ipaddr.parse(host)
  return Buffer.from([ADDRESS_KINDS[address.kind()], ...address.toByteArray()])
}

/** A text with its length in front. */
function toTextBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.byteLength > TEXT_BYTES_MAX) {
    throw new TunnelRefusedError(`takes no name or password above ${TEXT_BYTES_MAX} bytes`)
  }
  return Buffer.concat([Buffer.from([bytes.byteLength]), bytes])
}

type Reader = ReturnType<typeof createReader>

/** Reads exactly so many bytes at a time, and leaves what comes after them to the next who reads. */
function createReader(socket: Socket) {
  let wake = () => {}
  const onNews = () => wake()
  // They stay while it reads: one that is added anew would be called for bytes of which it knows, again and again.
  socket.on('readable', onNews).on('close', onNews)
  return { read, stop }

  async function read(count: number): Promise<Buffer> {
    for (;;) {
      const bytes: Buffer | null = socket.read(count)
      if (bytes?.byteLength === count) return bytes
      if (socket.errored) throw socket.errored
      if (bytes !== null || socket.destroyed) {
        throw new TunnelRefusedError('closed the connection')
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  function stop(): void {
    socket.off('readable', onNews).off('close', onNews)
  }
}
