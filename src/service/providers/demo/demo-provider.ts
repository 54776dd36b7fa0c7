import type { Static, TObject } from 'typebox'
import { createGuard } from '../../../guard.ts'
import type { GenerationProvider, GenerationResult } from '../provider.ts'
import { DAMAGED } from '../submission.ts'

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
  make(described: Static<Schema>): Promise<Omit<GenerationResult & { type: 'bytes' }, 'type'>>
}): GenerationProvider<Params> {
  const isDescribed = createGuard(schema)
  return {
    start: async (params) => describe(params),
    async check(operation, { signal }) {
      signal.throwIfAborted()
      if (!isDescribed(operation)) return DAMAGED
      const result = await make(operation)
      signal.throwIfAborted()
      return { status: 'success', results: [{ type: 'bytes', ...result }] }
    },
  }
}
