import { execFileSync } from 'node:child_process'
import { chmod, mkdir, open, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CuttableProxy, openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { killAll, listServer, signalIfThere } from '../../slow/chaos/postgres-processes.ts'
import { PATRONI } from './cluster.ts'
import type { Program, Programs } from './programs.ts'

const DISK_MIB = 1_024
const FILLING = Buffer.alloc(1_048_576)
const FAKETIME = '/usr/$LIB/faketime/libfaketime.so.1'

/** PostgreSQL and its Patroni on one node. All that goes in or out passes relays, which fail as a network does. */
export interface ClusterNode {
  name: string
  /** Where PostgreSQL and Patroni's REST API are reached by others. */
  port: number
  restPort: number
  configPath: string
  /** False where no disk of its own could be mounted: it can not be filled then. */
  hasOwnDisk: boolean
  start(): void
  /** Ends Patroni and PostgreSQL as a crash of the machine does. */
  kill(): Promise<void>
  /** Stops both with their connections, as a paused virtual machine does, until `thaw()`. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Cuts it off from etcd alone, until `mend()`. */
  cutFromEtcd(): void
  /** Lets nothing through in any direction, and says nothing of it, until `mend()`. */
  silence(): void
  mend(): void
  fillDisk(): Promise<void>
  freeDisk(): Promise<void>
  /** Sets PostgreSQL's clock off by so many seconds, from its next start on. */
  setClock(aheadSeconds: number): Promise<void>
  aheadSeconds(): number
  /** Has its Patroni start PostgreSQL anew. */
  restart(): Promise<void>
  /** Ends all of it, and gives its disk back. */
  close(): Promise<void>
}

export interface NodeOptions {
  name: string
  folder: string
  etcdPort: number
  programs: Programs
  isSynchronous: boolean
}

/** Makes a node's folder and its ways to the others. It does not run yet. */
export async function createNode(options: NodeOptions): Promise<ClusterNode> {
  const { name, folder, etcdPort, programs } = options
  const disk = join(folder, 'disk')
  await programs.makeFolder(disk)
  const hasOwnDisk = mountDisk(disk)
  if (hasOwnDisk) await programs.makeFolder(disk)
  const data = join(disk, 'data')
  const clockPath = join(folder, 'clock')
  const binDir = join(folder, 'bin')
  let ahead = 0
  await setClock(ahead)
  await makeBinaries(binDir, programs.postgresDir, clockPath)
  const [own, rest] = [Number(await findFreePort()), Number(await findFreePort())]
  const postgres = await openCuttableProxy(own)
  const restApi = await openCuttableProxy(rest)
  const etcd = await openCuttableProxy(etcdPort)
  const relays: readonly CuttableProxy[] = [postgres, restApi, etcd]
  const configPath = join(folder, 'patroni.json')
  const addresses = { own, rest, postgres: postgres.port, restApi: restApi.port, etcd: etcd.port }
  await writeFile(configPath, JSON.stringify(toConfig(options, { data, binDir, addresses })))
  const pidFile = join(data, 'postmaster.pid')
  const filler = join(disk, 'filler')
  let patroni: Program | undefined
  return {
    name,
    port: postgres.port,
    restPort: restApi.port,
    configPath,
    hasOwnDisk,
    start,
    kill,
    freeze,
    thaw,
    cutFromEtcd: () => etcd.cut(),
    silence: () => {
      for (const relay of relays) relay.hold()
    },
    mend: () => {
      for (const relay of relays) relay.mend()
    },
    fillDisk,
    freeDisk: () => rm(filler, { force: true }),
    setClock,
    aheadSeconds: () => ahead,
    restart: () =>
      programs.run('/usr/bin/patronictl', [
        ...['-c', configPath, 'restart', 'kopeck', name, '--force'],
      ]),
    close,
  }

  function start(): void {
    patroni = programs.start('/usr/bin/patroni', [configPath], join(folder, 'patroni.log'))
  }

  /** Patroni first: it would start PostgreSQL again. */
  async function kill(): Promise<void> {
    await patroni?.kill()
    await killAll(await listServer(pidFile).catch(() => []))
  }

  async function freeze(): Promise<void> {
    for (const pid of [patroni?.pid ?? 0, ...(await listServer(pidFile))]) {
      signalIfThere(pid, 'SIGSTOP')
    }
  }

  async function thaw(): Promise<void> {
    for (const pid of [...(await listServer(pidFile)), patroni?.pid ?? 0]) {
      signalIfThere(pid, 'SIGCONT')
    }
  }

  /** Until nothing more can be written: the server writes at the same time. */
  async function fillDisk(): Promise<void> {
    const file = await open(filler, 'w')
    try {
      for (;;) await file.write(FILLING)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      await file.close()
    }
  }

  async function setClock(aheadSeconds: number): Promise<void> {
    ahead = aheadSeconds
    await writeFile(clockPath, aheadSeconds === 0 ? '' : `+${aheadSeconds}`)
  }

  async function close(): Promise<void> {
    await kill()
    for (const relay of relays) relay.cut()
    if (hasOwnDisk) execFileSync('umount', [disk])
  }
}

/** @returns Whether this user may. */
function mountDisk(folder: string): boolean {
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`]
    execFileSync('mount', [...options, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** PostgreSQL's programs, the server with the clock that the node's file says. */
async function makeBinaries(folder: string, from: string, clockPath: string): Promise<void> {
  await mkdir(folder)
  for (const program of await readdir(from)) {
    if (program !== 'postgres') await symlink(join(from, program), join(folder, program))
  }
  const server = join(folder, 'postgres')
  await writeFile(
    server,
    `#!/bin/sh
ahead=$(cat '${clockPath}')
if [ -n "$ahead" ]; then
  # What PostgreSQL measures by the monotonic clock goes on as ever.
  export LD_PRELOAD='${FAKETIME}' FAKETIME="$ahead" FAKETIME_DONT_FAKE_MONOTONIC=1
fi
exec '${join(from, 'postgres')}' "$@"
`,
  )
  await chmod(server, 0o755)
}

function toConfig(
  { name, isSynchronous }: NodeOptions,
  {
    data,
    binDir,
    addresses,
  }: {
    data: string
    binDir: string
    addresses: { own: number; rest: number; postgres: number; restApi: number; etcd: number }
  },
) {
  const at = (port: number) => `127.0.0.1:${port}`
  return {
    scope: 'kopeck',
    name,
    restapi: { listen: at(addresses.rest), connect_address: at(addresses.restApi) },
    // By the API of etcd 2, which renews the lock only where it is still its own. By that of etcd 3 Patroni 3.0 writes it
    // whatever is there: a primary that is thawed takes it back, and what the other one has stored meanwhile is lost.
    // As a proxy, since it would find etcd's own address else, and go there past the relay.
    etcd: { hosts: [at(addresses.etcd)], use_proxies: true },
    bootstrap: {
      dcs: {
        ...PATRONI,
        synchronous_mode: isSynchronous,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            shared_buffers: '32MB',
            min_wal_size: '64MB',
            max_wal_size: '256MB',
            wal_keep_size: '128MB',
            unix_socket_directories: '',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: at(addresses.own),
      connect_address: at(addresses.postgres),
      data_dir: data,
      bin_dir: binDir,
      pgpass: join(data, '..', 'pgpass'),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  }
}
