import { createDueRows, type DueRowsDeps } from '../../../src/platform/database/due-rows.ts'
import type { Instance } from '../../../src/platform/database/instance/instance.ts'
import { startSweep } from '../../../src/platform/database/instance/sweep.ts'

/** The due rows of a process, with a sweep that ends with its instance. */
export function openDueRows({
  instance,
  ...deps
}: Omit<DueRowsDeps, 'sweep' | 'instance'> & { instance: Pick<Instance, 'id' | 'lost'> }) {
  const sweep = startSweep(deps.notifications, deps.log)
  instance.lost.addEventListener('abort', () => void sweep.stop(), { once: true })
  return createDueRows({ ...deps, instance, sweep })
}
