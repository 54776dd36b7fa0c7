import { ConfigError, readConfig } from '../../src/process/config.ts'

/** What is wrong with settings, as a start says it; none where they are right. */
export function problemsOf(
  env: Record<string, string>,
  args: string[] = [],
  file = '{}',
): string[] {
  try {
    readConfig(env, args, () => file)
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems]
    throw error
  }
  return []
}
