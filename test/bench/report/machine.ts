import { cpus, loadavg, release, totalmem, type } from 'node:os'
import type { Cores } from '../measuring/cores.ts'

/** Says on one line what the figures were taken on. */
export function describeMachine({
  postgresVersion,
  cores: { measured, around },
  peers,
}: {
  postgresVersion: string
  cores: Cores
  peers: readonly { name: string; version: string | undefined }[]
}): string {
  const cores = cpus().length
  const model = cpus()[0]?.model.trim().replaceAll(/\s+/g, ' ') ?? 'unknown CPU'
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'} (${model}), ${memoryGiB} GiB of memory`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgresVersion}`,
    ...peers.flatMap(({ name, version }) => (version === undefined ? [] : `${name} ${version}`)),
    measured === undefined
      ? 'nothing kept on a core of its own, since there is no `taskset` or no second core'
      : `what is measured and its PostgreSQL on core ${measured}, all around it on core ${around}`,
  ].join('; ')
}

/** How many processes wanted to run at a time in the last minute, which shows what else the machine did. */
export function readLoadAverage(): number {
  return loadavg()[0] ?? Number.NaN
}
