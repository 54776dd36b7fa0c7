import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster/cluster.ts'
import type { ClusterNode } from './cluster/node.ts'

const HOUR_SECONDS = 3_600
/** Without a synchronous standby, what is stored meanwhile is lost. */
const BEHIND_MS = 2_000

/** One way to lose a primary, or to change it. */
export interface Fault {
  /** What it is, in a table. */
  words: string
  /** Why the kind cannot be had here; undefined where it can. */
  missing?(cluster: Cluster): string | undefined
  /** Makes the cluster ready for it, before anybody asks for anything. */
  prepare?(cluster: Cluster): Promise<void>
  /** True where the primary stays what it is. */
  keepsPrimary?: true
  /** True where nothing takes the place of what is gone: it serves again when it was mended. */
  servesOnlyMended?: true
  /** True where messages look hours old to the database, so that users are asked whether they still want an answer. */
  asksFirst?: true
  /** Does it. @returns What undoes it, once the database serves again, or the round has waited long enough. */
  begin(cluster: Cluster): Promise<() => Promise<void>>
}

/** Seven kinds that harm or change the primary, the loss of what it waits for, and the loss of what nothing had waited for. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  killed: {
    words: 'primary killed, started again',
    begin: withPrimary(
      (primary) => primary.kill(),
      async (primary) => primary.start(),
    ),
  },
  frozen: {
    words: 'primary frozen, thawed',
    begin: withPrimary(
      (primary) => primary.freeze(),
      (primary) => primary.thaw(),
    ),
  },
  switched: {
    words: 'switched over by hand, and back',
    begin: async (cluster) => {
      await switchOver(cluster)
      return async () => {
        await cluster.untilHealthy()
        await switchOver(cluster)
      }
    },
  },
  etcd: {
    words: 'primary cut off from etcd',
    begin: withPrimary(
      async (primary) => primary.cutFromEtcd(),
      async (primary) => primary.mend(),
    ),
  },
  silent: {
    words: 'network of the primary silent',
    begin: withPrimary(
      async (primary) => primary.silence(),
      async (primary) => primary.mend(),
    ),
  },
  disk: {
    words: 'disk of the primary full',
    keepsPrimary: true,
    servesOnlyMended: true,
    missing: ({ nodes }) =>
      nodes.every(({ hasOwnDisk }) => hasOwnDisk) ? undefined : 'this user may mount no disk',
    begin: withPrimary(
      (primary) => primary.fillDisk(),
      (primary) => primary.freeDisk(),
    ),
  },
  clock: {
    words: 'to a primary whose clock is an hour ahead, and back',
    asksFirst: true,
    // Which of the standbys is synchronous may change with a restart.
    prepare: (cluster) => setClocksOfStandbys(cluster, HOUR_SECONDS),
    begin: async (cluster) => {
      await switchOver(cluster)
      return async () => {
        await setClocksOfStandbys(cluster, 0)
        await switchOver(cluster)
        await setClocksOfStandbys(cluster, 0)
      }
    },
  },
  standby: {
    words: 'synchronous standby killed, started again',
    keepsPrimary: true,
    begin: async (cluster) => {
      const standby = await cluster.findStandby()
      await standby.kill()
      return async () => standby.start()
    },
  },
  behind: {
    words: 'primary killed while no standby hears of it, started again',
    begin: async (cluster) => {
      const primary = await cluster.findPrimary()
      const standbys = cluster.nodes.filter((node) => node !== primary)
      for (const standby of standbys) await standby.freeze()
      // What is on its way to them would be read when they are thawed.
      await endReplication(primary)
      await delay(BEHIND_MS)
      await primary.kill()
      for (const standby of standbys) await standby.thaw()
      return async () => primary.start()
    },
  },
}

async function endReplication({ port }: ClusterNode): Promise<void> {
  const client = new pg.Client(`postgresql://postgres@127.0.0.1:${port}/postgres`)
  await client.connect()
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication')
  await client.end()
}

/** The primary of that moment is the one that is mended, too. */
function withPrimary(
  harm: (primary: ClusterNode) => Promise<void>,
  mend: (primary: ClusterNode) => Promise<void>,
): Fault['begin'] {
  return async (cluster) => {
    const primary = await cluster.findPrimary()
    await harm(primary)
    return () => mend(primary)
  }
}

async function switchOver(cluster: Cluster): Promise<void> {
  await cluster.switchOver(await cluster.findPrimary(), await cluster.findStandby())
}

async function setClocksOfStandbys(cluster: Cluster, aheadSeconds: number): Promise<void> {
  const primary = await cluster.findPrimary()
  for (const node of cluster.nodes) {
    if (node === primary || node.aheadSeconds() === aheadSeconds) continue
    await cluster.untilHealthy()
    await node.setClock(aheadSeconds)
    await node.restart()
  }
  await cluster.untilHealthy()
}
