import { toModelName } from '../../contract/media.ts'
import { ConfigError, readConfig } from '../../process/config.ts'

/**
 * Finds names that are most likely misspelt: SERVICE_CONFIG, or what the service sells without one, has no such
 * model. A key may be made for one that is to come, and the service may have its config elsewhere.
 *
 * @returns None where the config cannot be read.
 */
export function findUnknownModels(models: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const known = readKnownModels(env)
  return known === undefined ? [] : models.filter((model) => !known.has(model))
}

function readKnownModels(env: NodeJS.ProcessEnv): ReadonlySet<string> | undefined {
  try {
    const { chat, generation } = readConfig(env, ['service']).service
    const paths = Object.keys(generation)
    return new Set([...chat.models.map(({ id }) => id), ...paths.map(toModelName)])
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
