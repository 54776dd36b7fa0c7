import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** Says on one line what the figures were taken on. */
export function describeMachine({ postgresVersion }: { postgresVersion: string }): string {
  const cores = availableParallelism()
  const model = cpus()[0]?.model.trim().replaceAll(/\s+/g, ' ') ?? 'unknown CPU'
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'} (${model}), ${memoryGiB} GiB of memory`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgresVersion}`,
  ].join('; ')
}
