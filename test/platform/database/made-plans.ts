import { onTestFinished, vi } from 'vitest'

/** Where the generated client has its compiler from, which has no types. */
const COMPILER = '@prisma/client/runtime/query_compiler_small_bg.postgresql.mjs'

interface CompilerModule {
  QueryCompiler: { prototype: { compile(query: string): unknown } }
}

/**
 * Records the plans that Prisma makes for the rest of the test: of all clients, which keep each and make none twice.
 *
 * @returns The queries, as Prisma writes them with a parameter for each value that a plan is made without.
 */
export async function recordPlans(): Promise<readonly [query: string][]> {
  const { QueryCompiler } = (await import(COMPILER)) as CompilerModule
  const plans = vi.spyOn(QueryCompiler.prototype, 'compile')
  onTestFinished(() => plans.mockRestore())
  return plans.mock.calls
}
