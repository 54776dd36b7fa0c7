import type pg from 'pg'

/** The statements that a process has sent, oldest first, each in few words. */
export interface SentStatements {
  readonly kinds: readonly string[]
  clear(): void
}

/**
 * Records what goes to PostgreSQL over a pool, that of its Prisma client included: BEGIN and COMMIT, too. What a
 * connection is opened with does not count.
 */
export function recordStatements(pool: pg.Pool): SentStatements {
  let kinds: string[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const recorded = (...args: unknown[]) => {
      const [first] = args as [string | { text: string }]
      kinds.push(kindOf(typeof first === 'string' ? first : first.text))
      return query(...args)
    }
    Object.assign(client, { query: recorded })
  })
  return {
    get kinds() {
      return kinds
    },
    clear: () => {
      kinds = []
    },
  }
}

/** Names what it does to which tables, in the order of its words: "insert turn, insert message". */
function kindOf(sql: string): string {
  const text = sql.replaceAll(/["\n]|\s+/g, (found) => (found === '"' ? '' : ' '))
  const done = text.matchAll(/\b(insert into|update|delete from|from|join) bot\.(\w+)/gi)
  const kinds = new Set(
    Array.from(done, ([, verb = '', table]) => {
      const isRead = /^(from|join)$/i.test(verb)
      return `${isRead ? 'read' : verb.split(' ')[0]?.toLowerCase()} ${table}`
    }),
  )
  return [...kinds].join(', ') || text.trim().slice(0, 60)
}
