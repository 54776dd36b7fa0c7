import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../../platform/http/free-port.ts'
import { type ClusterNode, createNode } from './node.ts'
import type { Programs } from './programs.ts'

/** Patroni's times in seconds: the shortest lease of the primary that it takes, and what goes with it. */
export const PATRONI = { ttl: 20, loop_wait: 5, retry_timeout: 5 }

const NODES = 3
const LOOK_MS = 250
const HEALTHY_MS_MAX = 180_000

/** One PostgreSQL on three nodes, each with Patroni, that agree on their primary in etcd; before them HAProxy. */
export interface Cluster {
  /** The database as a user who owns it sees it, through HAProxy. */
  url: string
  nodes: readonly ClusterNode[]
  /** The primary, as most nodes know it. */
  findPrimary(): Promise<ClusterNode>
  /** A standby that has all that was committed, if standbys are synchronous; else any. */
  findStandby(): Promise<ClusterNode>
  /** Resolves when there is a primary and both others follow it. */
  untilHealthy(): Promise<void>
  /** Resolves when another node is the primary, or `timeoutMs` have passed. */
  untilOtherThan(node: ClusterNode, timeoutMs: number): Promise<void>
  /** Changes the primary by hand. */
  switchOver(from: ClusterNode, to: ClusterNode): Promise<void>
  /** Ends the nodes, and gives their disks back. */
  close(): Promise<void>
}

interface Member {
  name: string
  role: string
  state: string
  timeline?: number
  lag?: number | string
}

/** Brings it up below a folder. */
export async function startCluster(
  folder: string,
  { programs, isSynchronous }: { programs: Programs; isSynchronous: boolean },
): Promise<Cluster> {
  const etcdPort = await startEtcd(folder, programs)
  const nodes: ClusterNode[] = []
  for (let index = 1; index <= NODES; index++) {
    const name = `node-${index}`
    const home = join(folder, name)
    nodes.push(await createNode({ name, folder: home, etcdPort, programs, isSynchronous }))
  }
  const port = await startHaproxy(folder, { nodes, programs })
  for (const node of nodes) node.start()
  try {
    await untilHealthy()
    await makeDatabase(`postgresql://postgres@127.0.0.1:${port}/postgres`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: `postgresql://kopeck@127.0.0.1:${port}/kopeck`,
    nodes,
    findPrimary,
    findStandby,
    untilHealthy,
    untilOtherThan,
    switchOver,
    close,
  }

  async function close(): Promise<void> {
    for (const node of nodes) await node.close()
  }

  async function findPrimary(): Promise<ClusterNode> {
    return find(
      (await readMembers())?.find(({ role }) => role === 'leader'),
      'a primary',
    )
  }

  async function findStandby(): Promise<ClusterNode> {
    const members = (await readMembers()) ?? []
    const wanted = isSynchronous ? 'sync_standby' : 'replica'
    return find(
      members.find(({ role }) => role === wanted),
      'a standby',
    )
  }

  function find(member: Member | undefined, what: string): ClusterNode {
    const node = nodes.find(({ name }) => name === member?.name)
    if (node === undefined) throw new Error(`Cannot find ${what}`)
    return node
  }

  /** Asks one node after the other: one that is away is passed over. */
  async function readMembers(): Promise<Member[] | undefined> {
    for (const { restPort } of nodes) {
      const signal = AbortSignal.timeout(2_000)
      const address = `http://127.0.0.1:${restPort}/cluster`
      const members = await fetch(address, { signal })
        .then(async (response) => ((await response.json()) as { members: Member[] }).members)
        .catch(() => undefined)
      if (members?.some(({ role }) => role === 'leader')) return members
    }
    return undefined
  }

  async function untilHealthy(): Promise<void> {
    const untilMs = performance.now() + HEALTHY_MS_MAX
    let members: Member[] | undefined
    while (performance.now() < untilMs) {
      members = await readMembers()
      if (members !== undefined && isHealthy(members)) return
      await delay(LOOK_MS)
    }
    throw new Error(`The cluster does not become whole: ${JSON.stringify(members)}`)
  }

  async function untilOtherThan(node: ClusterNode, timeoutMs: number): Promise<void> {
    for (const untilMs = performance.now() + timeoutMs; performance.now() < untilMs; ) {
      if ((await findPrimary().catch(() => node)) !== node) return
      await delay(LOOK_MS)
    }
  }

  function isHealthy(members: readonly Member[]): boolean {
    const [{ timeline } = {}] = members.filter(({ role }) => role === 'leader')
    const following = members.filter(
      (member) =>
        member.role !== 'leader' &&
        /^(running|streaming)$/.test(member.state) &&
        member.timeline === timeline &&
        member.lag === 0,
    )
    const hasStandby = !isSynchronous || members.some(({ role }) => role === 'sync_standby')
    return following.length === NODES - 1 && hasStandby
  }

  async function switchOver(from: ClusterNode, to: ClusterNode): Promise<void> {
    const names = ['--master', from.name, '--candidate', to.name]
    const args = ['-c', to.configPath, 'switchover', ...names, '--force']
    await programs.run('/usr/bin/patronictl', args)
  }
}

/** One member: its own faults are not what the rounds are about. @returns Its port. */
async function startEtcd(folder: string, programs: Programs): Promise<number> {
  const [clients, peers] = [await findFreePort(), await findFreePort()]
  const [client, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`]
  const data = join(folder, 'etcd')
  await programs.makeFolder(data)
  programs.start(
    '/usr/bin/etcd',
    [
      ...['--name=etcd', `--data-dir=${data}/data`, '--log-level=warn', '--enable-v2'],
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
      `--initial-cluster=etcd=${peer}`,
    ],
    join(folder, 'etcd.log'),
  )
  // Patroni ends where etcd does not know its own version yet.
  for (const untilMs = performance.now() + HEALTHY_MS_MAX; performance.now() < untilMs; ) {
    const answer = await fetch(`${client}/version`).then((response) => response.text(), String)
    if (/"etcdcluster":"\d/.test(answer)) return Number(clients)
    await delay(LOOK_MS)
  }
  throw new Error('etcd does not begin')
}

/** @returns The port at which it leads to the primary. */
async function startHaproxy(
  folder: string,
  { nodes, programs }: { nodes: readonly ClusterNode[]; programs: Programs },
): Promise<number> {
  const port = await findFreePort()
  const path = join(folder, 'haproxy.cfg')
  const servers = nodes.map(
    ({ name, port, restPort }) =>
      `  server ${name} 127.0.0.1:${port} maxconn 200 check port ${restPort}\n`,
  )
  await writeFile(
    path,
    `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${servers.join('')}`,
  )
  programs.start('/usr/sbin/haproxy', ['-db', '-f', path], join(folder, 'haproxy.log'))
  return Number(port)
}

async function makeDatabase(url: string): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.query('CREATE ROLE kopeck LOGIN')
      await client.query('CREATE DATABASE kopeck OWNER kopeck')
      return
    } catch (error) {
      // HAProxy may not have looked yet.
      if (attempts === 20 || error instanceof pg.DatabaseError) throw error
      await delay(LOOK_MS)
    } finally {
      await client.end()
    }
  }
}
