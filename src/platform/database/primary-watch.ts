import pg from 'pg'

/**
 * The first eight digits of the name of the file that is written now are the timeline: the control file learns of a
 * promotion seconds later.
 */
const SERVER_SQL = `
  SELECT pg_is_in_recovery() AS "isStandby", system_identifier::text AS "systemId",
    CASE WHEN NOT pg_is_in_recovery()
      THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
  FROM pg_control_system()`

/** SQLSTATEs of a provider's own server, which lacks these functions or refuses them. */
const UNTOLD = /^(0A000|42501|42883)$/

/** The server is a standby or a former primary. It has no `code`: Prisma Client would replace it by its own error. */
export class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError'

  constructor(problem: string) {
    super(`Cannot use the connection: ${problem}`)
  }
}

export type PrimaryWatch = ReturnType<typeof createPrimaryWatch>

interface Server {
  isStandby: boolean
  /** The cluster: after a restore from a dump it is another. */
  systemId: string
  timeline: number
}

/**
 * Knows the newest primary that the connections of a process have seen. After a failover the former primary may still
 * answer until it learns of it: its answers are old, and its writes get lost.
 */
export function createPrimaryWatch() {
  let newest: { systemId: string; timeline: number } | undefined
  const admitted = new Set<(error: NotPrimaryError) => void>()
  return { admit }

  /** @param onOutdated Called when another connection leads to a newer primary. */
  async function admit(
    client: pg.ClientBase,
    onOutdated: (error: NotPrimaryError) => void,
  ): Promise<void> {
    const server = await readServer(client)
    if (server === undefined) return
    if (server.isStandby) throw new NotPrimaryError('the server is a standby, which only lets read')
    const { systemId, timeline } = server
    const known = newest?.systemId === systemId ? newest.timeline : 0
    if (timeline < known) throw outdated(timeline)
    if (timeline > known) {
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
