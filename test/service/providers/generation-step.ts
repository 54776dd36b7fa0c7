import type { GenerationStep, ProviderOperation } from '../../../src/service/providers/provider.ts'

/** A step that keeps in mind what was saved, as the task's row would. */
export function createStep(signal: AbortSignal = new AbortController().signal) {
  const saved: ProviderOperation[] = []
  return {
    signal,
    saved,
    async save(operation: ProviderOperation) {
      saved.push(structuredClone(operation))
    },
  } satisfies GenerationStep & { saved: ProviderOperation[] }
}
