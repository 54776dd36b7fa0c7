import pg from 'pg'

/**
 * The timeline is that of what is written now: the control file learns of a promotion seconds later. It is in the first
 * eight digits of the name of a file of the log.
 */
const SERVER_SQL = `
  SELECT pg_is_in_recovery() AS "isStandby", system_identifier::text AS "systemId",
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
  FROM pg_control_system()`

/** SQLSTATEs of a server that has none of that, or keeps it to itself: it is some provider's own. */
const UNTOLD = /^(0A000|42501|42883)$/

/**
 * The server that a connection leads to is a standby, or was the primary before another one was. It has no `code`: Prisma
 * Client would throw an error of its own instead, without its words.
 */
export class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError'

  constructor(problem: string) {
    super(`Cannot use the connection: ${problem}`)
  }
}

/**
 * Knows the newest primary that a process has seen. Where a cluster has failed over, the primary of before may still
 * answer, until it learns of it: what it says is old, and what it stores is lost.
 */
export interface PrimaryWatch {
  /**
   * Lets a new connection be used, unless its server is known not to be the primary.
   *
   * @param onOutdated Called when another connection leads to a newer primary.
   * @throws {NotPrimaryError} If the server is a standby, or an older primary than one that was seen.
   */
  admit(client: pg.ClientBase, onOutdated: (error: NotPrimaryError) => void): Promise<void>
}

interface Server {
  isStandby: boolean
  /** Names the cluster: one that was restored from a dump is another. */
  systemId: string
  /** Hexadecimal; null of a standby. */
  timeline: string | null
}

/** Makes what the connections of one process share. */
export function createPrimaryWatch(): PrimaryWatch {
  let newest: { systemId: string; timeline: number } | undefined
  const admitted = new Set<(error: NotPrimaryError) => void>()
  return { admit }

  async function admit(
    client: pg.ClientBase,
    onOutdated: (error: NotPrimaryError) => void,
  ): Promise<void> {
    const server = await readServer(client)
    if (server === undefined) return
    if (server.isStandby) throw new NotPrimaryError('the server is a standby, which only lets read')
    const { systemId } = server
    const timeline = Number.parseInt(server.timeline ?? '', 16)
    if (newest?.systemId === systemId && timeline < newest.timeline) throw outdated(timeline)
    if (newest?.systemId !== systemId || timeline > newest.timeline) {
      const before = newest?.timeline ?? timeline
      newest = { systemId, timeline }
      for (const report of admitted) report(outdated(before))
      admitted.clear()
    }
    admitted.add(onOutdated)
    client.once('end', () => admitted.delete(onOutdated))
  }

  function outdated(timeline: number): NotPrimaryError {
    return new NotPrimaryError(
      `its server is the primary of timeline ${timeline}, and timeline ${newest?.timeline} has begun`,
    )
  }
}

async function readServer(client: pg.ClientBase): Promise<Server | undefined> {
  try {
    const { rows } = await client.query<Server>(SERVER_SQL)
    return rows[0]
  } catch (error) {
    if (error instanceof pg.DatabaseError && UNTOLD.test(error.code ?? '')) return undefined
    throw error
  }
}
