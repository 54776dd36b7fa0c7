import { env, loadEnvFile } from 'node:process'

/**
 * Reads the environment of this process, with what `.env` in the working directory adds to it. A variable
 * that is set already stays as it is.
 */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  try {
    loadEnvFile()
  } catch (error) {
    // The file is optional; one that is there and cannot be read is not.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return env
}
