import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The answer on a connection, as far as a Bot API client looks at it. */
export interface RawHttpAnswer {
  status: number
  headers: Map<string, string>
  body: { ok: boolean; result?: { [name: string]: unknown }; description?: string }
}

/** A connection to an HTTP server that sends the bytes it is given, and nothing of its own. */
export async function openConnection(root: string) {
  const { hostname, port } = new URL(root)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  const received = collect(socket)
  return { send, answer, line }

  /** Sends text as UTF-8, and bytes as they are. */
  function send(...pieces: (string | Buffer)[]): void {
    for (const piece of pieces) socket.write(piece)
  }

  /** Waits for a line, such as the status of an answer that is not the last one. */
  async function line(): Promise<string> {
    const head = await received.until('\r\n\r\n')
    return head.toString().trimEnd()
  }

  /** Waits for the next answer with JSON in it. */
  async function answer(): Promise<RawHttpAnswer> {
    const [first = '', ...lines] = (await received.until('\r\n\r\n'))
      .toString()
      .trim()
      .split('\r\n')
    const headers = new Map(
      lines.map((text) => {
        const [name = '', ...value] = text.split(': ')
        return [name.toLowerCase(), value.join(': ')] as const
      }),
    )
    const body = await received.next(Number(headers.get('content-length')))
    return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(body.toString()) }
  }
}

/** Gives out what a socket receives, piece by piece. */
function collect(socket: Socket) {
  let buffer = Buffer.alloc(0)
  let arrived = Promise.withResolvers<void>()
  socket.on('data', (data: Buffer) => {
    buffer = Buffer.concat([buffer, data])
    wake()
  })
  socket.on('close', wake)
  socket.on('error', wake)
  return { until, next }

  function wake(): void {
    arrived.resolve()
    arrived = Promise.withResolvers()
  }

  async function until(mark: string): Promise<Buffer> {
    let index = buffer.indexOf(mark)
    while (index < 0) {
      await more()
      index = buffer.indexOf(mark)
    }
    return next(index + mark.length)
  }

  async function next(size: number): Promise<Buffer> {
    while (buffer.length < size) await more()
    const taken = buffer.subarray(0, size)
    buffer = buffer.subarray(size)
    return taken
  }

  async function more(): Promise<void> {
    if (socket.destroyed) throw new Error(`The connection is closed after "${buffer.toString()}"`)
    await arrived.promise
  }
}
