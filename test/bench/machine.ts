import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'

/** Says on one line what the figures were taken on, and whether it had something else to do. */
export function describeMachine({ postgresVersion }: { postgresVersion: string }): string {
  const cores = availableParallelism()
  const model = cpus()[0]?.model.trim().replaceAll(/\s+/g, ' ') ?? 'unknown CPU'
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'} (${model}), ${memoryGiB} GiB of memory`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgresVersion}`,
    `load average of the last minute ${loadavg()[0]?.toFixed(1)}`,
  ].join('; ')
}
