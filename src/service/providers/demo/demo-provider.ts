import type { Static, TObject } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'
import type { GenerationProvider, GenerationResult, GenerationState } from '../provider.ts'
import { DAMAGED } from '../submission.ts'

type MadeFile = Omit<GenerationResult & { type: 'bytes' }, 'type'>
type Failed = GenerationState & { status: 'fail' }

/**
 * Makes results on this machine, at once and unpaid.
 *
 * @param schema Everything that a result depends on. It is stored as JSON with the task.
 */
export function createDemoProvider<Params, Schema extends TObject>({
  schema,
  describe,
  make,
}: {
  schema: Schema
  describe(params: Params): Static<Schema> & Record<string, unknown>
  make(described: Static<Schema>, signal: AbortSignal): Promise<MadeFile | Failed>
}): GenerationProvider<Params> {
  const isDescribed = createGuard(schema)
  return {
    start: async (params) => describe(params),
    async check(operation, { signal }) {
      signal.throwIfAborted()
      if (!isDescribed(operation)) return DAMAGED
      const made = await make(operation, signal)
      signal.throwIfAborted()
      if ('status' in made) return made
      return { status: 'success', results: [{ type: 'bytes', ...made }] }
    },
  }
}
