import pg from 'pg'
import { connectionOptions } from '../../platform/database/database.ts'

/** A piece of a server's copy of its files: the bytes of one tar archive come first, then those of its manifest. */
export interface BaseBackupPiece {
  of: 'archive' | 'manifest'
  bytes: Buffer
}

const WAITING_BYTES_MAX = 4 * 2 ** 20

const BASE_BACKUP = `BASE_BACKUP (LABEL 'kopeck', CHECKPOINT 'fast', WAL true, TARGET 'client',
  MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`

const ARCHIVE_BEGINS = 'n'.charCodeAt(0)
const MANIFEST_BEGINS = 'm'.charCodeAt(0)
const DATA = 'd'.charCodeAt(0)

/**
 * Copies the files of a running server by the replication protocol, as pg_basebackup does. A server on
 * the copy repairs it, and has all that was committed until the copy ended.
 *
 * @param url Of a user that may replicate.
 * @yields In the order of the archives; leaving the loop early ends the copy.
 * @throws If the server has tablespaces: they would be archives of their own.
 * @see https://www.postgresql.org/docs/18/protocol-replication.html
 */
export async function* readBaseBackup(url: string): AsyncGenerator<BaseBackupPiece, void> {
  const options = { ...connectionOptions(url, 'backup'), replication: 'true' }
  const client = new pg.Client(options as pg.ClientConfig)
  // A query on a connection that breaks fails with the same error.
  client.on('error', () => {})
  await client.connect()
  try {
    let archives = 0
    let of: BaseBackupPiece['of'] = 'archive'
    for await (const message of receiveCopy(client, BASE_BACKUP)) {
      if (message[0] === ARCHIVE_BEGINS) archives++
      if (archives > 1) throw new Error('Cannot back up: the server has tablespaces')
      if (message[0] === MANIFEST_BEGINS) of = 'manifest'
      if (message[0] === DATA) yield { of, bytes: message.subarray(1) }
    }
  } finally {
    await client.end()
  }
}

async function* receiveCopy(client: pg.Client, command: string): AsyncGenerator<Buffer, void> {
  const { stream } = client.connection
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let outcome: { error?: unknown } | undefined
  let changed = Promise.withResolvers<void>()
  client.connection.on('copyData', ({ chunk }: { chunk: Buffer }) => {
    // Its memory is the parser's, which uses it again.
    waiting.push(Buffer.from(chunk))
    waitingBytes += chunk.length
    if (waitingBytes > WAITING_BYTES_MAX) stream.pause()
    changed.resolve()
  })
  const end = (as: { error?: unknown }) => {
    outcome = as
    changed.resolve()
  }
  client.query(command).then(
    () => end({}),
    (error: unknown) => end({ error }),
  )
  for (;;) {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      waitingBytes -= next.length
      yield next
    }
    if (outcome !== undefined) break
    stream.resume()
    await changed.promise
    changed = Promise.withResolvers()
  }
  if (outcome.error !== undefined) throw outcome.error
}
